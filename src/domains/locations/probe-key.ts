import { randomBytes } from "node:crypto";

/** A stored probe key, without the key itself. */
export interface ProbeKey {
  readonly id: string;
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A new probe key; its text is known only at creation. */
export interface NewProbeKey {
  readonly id: string;
  readonly text: string;
  readonly createdAt: Date;
}

/** The place that a key admits to: exactly one private location or one public region. */
export type KeyPlace = { readonly privateLocationId: string } | { readonly region: string };

/** What a key grants: to receive the orders of this route and to return results. */
export interface AdmittedKey {
  readonly keyId: string;
  /** The region, or the id of the private location. */
  readonly route: string;
  /** Name of the place: the region, or the slug. */
  readonly location: string;
  /** `null` for a public region, which all accounts share. */
  readonly accountId: string | null;
}

export function createKeyText(place: KeyPlace): string {
  const prefix = "region" in place ? "vp" : "pl";
  return `${prefix}_${randomBytes(16).toString("hex")}`;
}

/** Whether a text has the format of a key; other texts are not looked up. */
export function looksLikeProbeKey(text: string): boolean {
  return /^(?:pl|vp)_[0-9a-f]{32}$/.test(text);
}
