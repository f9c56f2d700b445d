import type { Encryption } from "../../platform/encryption.ts";

export const tokenPurposes = ["confirm", "manage", "unsubscribe"] as const;
export type TokenPurpose = (typeof tokenPurposes)[number];

export interface SubscriberToken {
  readonly purpose: TokenPurpose;
  readonly statusPageId: string;
  readonly subscriberId: string;
  /** Null: whoever wants to leave can, however old the mail. */
  readonly expiresAt: Date | null;
}

/** Keeps a token from being taken for anything else that the same key seals. */
const mark = "subscriber:";

/** Sealed, so that it can be neither guessed nor changed; good for one purpose on one page. */
export function sealToken(encryption: Encryption, token: SubscriberToken): string {
  const { purpose, statusPageId, subscriberId, expiresAt } = token;
  const content = JSON.stringify([
    purpose,
    statusPageId,
    subscriberId,
    expiresAt?.getTime() ?? null,
  ]);
  return Buffer.from(encryption.encrypt(`${mark}${content}`), "base64").toString("base64url");
}

/** The subscriber's id, or null for whatever is not this page's, this purpose's, or in time. */
export function readToken(
  encryption: Encryption,
  text: string,
  expected: { readonly purpose: TokenPurpose; readonly statusPageId: string; readonly now: Date },
): string | null {
  const content = unseal(encryption, text);
  if (content === null || !content.startsWith(mark)) return null;
  const [purpose, statusPageId, subscriberId, expiresAtMs] = JSON.parse(content.slice(mark.length));
  const isExpired = expiresAtMs !== null && expiresAtMs <= expected.now.getTime();
  const isMeant = purpose === expected.purpose && statusPageId === expected.statusPageId;
  return isMeant && !isExpired ? String(subscriberId) : null;
}

/** The page that a token was made for; null for whatever we did not seal. */
export function readTokenPage(encryption: Encryption, text: string): string | null {
  const content = unseal(encryption, text);
  if (content === null || !content.startsWith(mark)) return null;
  return String(JSON.parse(content.slice(mark.length))[1]);
}

function unseal(encryption: Encryption, text: string): string | null {
  try {
    return encryption.decrypt(Buffer.from(text, "base64url").toString("base64"));
  } catch {
    return null;
  }
}
