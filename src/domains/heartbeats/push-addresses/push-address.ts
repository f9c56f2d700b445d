import { createHash } from "node:crypto";

/** Forms of addresses, by the tool whose jobs use them. */
export const addressForms = ["uptime-kuma", "healthchecks", "gatus"] as const;
export type AddressForm = (typeof addressForms)[number];

/** An address that jobs pinged at another monitor: an alias of a heartbeat check. */
export interface PushAddress {
  readonly id: string;
  readonly checkId: string;
  readonly form: AddressForm;
  /** The beginning of the address, to recognise it. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Shorter secrets could be guessed. */
const minSecretLength = 10;
const maxSecretLength = 200;
const shownLength = 4;

/** The secret part of an old address; Gatus sends a token beside a public key. */
export interface AddressSecret {
  readonly form: AddressForm;
  readonly key: string;
  readonly token: string | null;
}

export function isStrongEnough({ key, token }: AddressSecret): boolean {
  const { length } = token ?? key;
  return length >= minSecretLength && length <= maxSecretLength;
}

/** Only this hash is stored. */
export function hashAddress({ form, key, token }: AddressSecret): Buffer {
  const secret = token === null ? key : `${key}\n${token}`;
  return createHash("sha256").update(`${form}\n${secret}`).digest();
}

/** Shows the path with the secret shortened. */
export function describeAddress({ form, key }: AddressSecret): string {
  const shortened = `${key.slice(0, shownLength)}…`;
  if (form === "uptime-kuma") return `/api/push/${shortened}`;
  if (form === "gatus") return `/api/v1/endpoints/${key}/external`;
  return `/${shortened}`;
}
