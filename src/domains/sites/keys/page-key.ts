import { randomBytes } from "node:crypto";

/** A key that opens a private page. Only its hash is stored. */
export interface PageKey {
  readonly id: string;
  readonly lastFour: string;
  /** Masked form for display. */
  readonly maskedKey: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Accurate to the minute; `null` if it was never used. */
  readonly lastUsedAt: Date | null;
}

/** The raw key is returned only in the response that creates it. */
export type ShownPageKey = PageKey & { readonly rawKey: string };

export const maxKeysPerPage = 10;

export const pageKeyPattern = /^da_[0-9a-f]{32}$/;

export function createRawPageKey(): string {
  return `da_${randomBytes(16).toString("hex")}`;
}

export function maskPageKey(lastFour: string): string {
  return `da_...${lastFour}`;
}
