import { randomBytes } from "node:crypto";

/** Opens a private page. Only its hash is stored. */
export interface PageKey {
  readonly id: string;
  readonly lastFour: string;
  /** As it is shown. */
  readonly maskedKey: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** To the minute; null: it has opened nothing yet. */
  readonly lastUsedAt: Date | null;
}

/** The raw key is in the answer that creates it, and nowhere else. */
export type ShownPageKey = PageKey & { readonly rawKey: string };

export const maxKeysPerPage = 10;

export const pageKeyPattern = /^da_[0-9a-f]{32}$/;

export function createRawPageKey(): string {
  return `da_${randomBytes(16).toString("hex")}`;
}

export function maskPageKey(lastFour: string): string {
  return `da_...${lastFour}`;
}
