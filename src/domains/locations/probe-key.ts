import { randomBytes } from "node:crypto";

/** What a probe shows to be let in, as it is stored: without the key itself. */
export interface ProbeKey {
  readonly id: string;
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** As it is when it is made: the only moment at which its text is known. */
export interface NewProbeKey {
  readonly id: string;
  readonly text: string;
  readonly createdAt: Date;
}

/** Where a key lets a probe in: exactly one private location, or one public region. */
export type KeyPlace = { readonly privateLocationId: string } | { readonly region: string };

/** What whoever shows a key may do: take the orders of this route and answer them. */
export interface AdmittedKey {
  readonly keyId: string;
  /** The region, or the id of the private location. */
  readonly route: string;
  /** What people call the place: the region, or the slug. */
  readonly location: string;
  /** Whose place it is; null: a public region, which all accounts share. */
  readonly accountId: string | null;
}

export function createKeyText(place: KeyPlace): string {
  const prefix = "region" in place ? "vp" : "pl";
  return `${prefix}_${randomBytes(16).toString("hex")}`;
}

/** Whether a text could be a key at all: other texts are not looked up. */
export function looksLikeProbeKey(text: string): boolean {
  return /^(?:pl|vp)_[0-9a-f]{32}$/.test(text);
}
