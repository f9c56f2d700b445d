/** Links in messages, which confirm, manage or end a subscription without a login. */
import type { Encryption } from "../../platform/encryption.ts";
import { formatPageUrl } from "../status-pages/index.ts";
import type { SubscribersContext } from "./context.ts";
import type { SubscriberDelivery } from "./delivery-store.ts";
import { confirmMs } from "./subscriber.ts";

export const tokenPurposes = ["confirm", "manage", "unsubscribe"] as const;
export type TokenPurpose = (typeof tokenPurposes)[number];

interface SubscriberToken {
  readonly purpose: TokenPurpose;
  readonly statusPageId: string;
  readonly subscriberId: string;
  /**
   * Expiry of the token; `null` if the token never expires. Tokens for unsubscribing never expire,
   * so that the unsubscribe links in old mails keep working.
   */
  readonly expiresAt: Date | null;
}

/** Prefix that distinguishes a token from other values encrypted with the same key. */
const mark = "subscriber:";

/** Encrypts and authenticates a token, which is valid for one purpose and one page. */
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

/** Returns a token's subscriber; `null` if forged, expired, or for other pages or purposes. */
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

/** Returns the id of the token's page; `null` if the token is forged. */
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

const manageMs = 365 * 86_400_000;

type LinkContext = Pick<SubscribersContext, "encryption" | "clock">;

interface LinkTarget {
  readonly statusPageId: string;
  readonly subscriberId: string;
}

/** Creates a link path below the page's URL, such as `confirm/{token}`. */
export function createLinkPath(
  { encryption, clock }: LinkContext,
  purpose: TokenPurpose,
  { statusPageId, subscriberId }: LinkTarget,
): string {
  const lifeMs = { confirm: confirmMs, manage: manageMs, unsubscribe: null }[purpose];
  const expiresAt = lifeMs === null ? null : new Date(clock.now().getTime() + lifeMs);
  return `${purpose}/${sealToken(encryption, { purpose, statusPageId, subscriberId, expiresAt })}`;
}

/** Returns absolute URLs for mails and webhooks. */
export function createMessageLinks(
  context: Pick<SubscribersContext, "encryption" | "clock" | "publicUrl">,
  delivery: Pick<SubscriberDelivery, "page" | "statusPageId" | "subscriberId">,
) {
  const pageUrl = formatPageUrl(context.publicUrl(), delivery.page);
  const create = (purpose: TokenPurpose) =>
    `${pageUrl}${createLinkPath(context, purpose, delivery)}`;
  return {
    pageUrl,
    confirmUrl: create("confirm"),
    manageUrl: create("manage"),
    unsubscribeUrl: create("unsubscribe"),
  };
}

export type MessageLinks = ReturnType<typeof createMessageLinks>;
