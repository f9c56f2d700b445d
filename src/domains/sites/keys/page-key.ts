import { randomBytes } from "node:crypto";

/** Lets whoever holds it look at a private page. Only its hash is kept. */
export interface PageKey {
  readonly id: string;
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** The raw key is in the answer to whoever asked for it, and nowhere else, ever. */
export type ShownPageKey = PageKey & { readonly rawKey: string };

export const maxKeysPerPage = 10;

export const pageKeyPattern = /^da_[0-9a-f]{32}$/;

export function createRawPageKey(): string {
  return `da_${randomBytes(16).toString("hex")}`;
}

export function maskPageKey({ lastFour }: Pick<PageKey, "lastFour">): string {
  return `da_...${lastFour}`;
}

/** A key that came with a request: in the address, where readers of feeds put it, or as a token. */
export function findPresentedKey(
  authorization: string | undefined,
  query: { readonly key?: string | undefined },
): string | null {
  const bearer = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
  const presented = query.key ?? bearer;
  return presented !== undefined && pageKeyPattern.test(presented) ? presented : null;
}
