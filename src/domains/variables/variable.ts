import type { Encryption } from "../../platform/encryption.ts";

/** A variable as people see it. */
export interface Variable {
  readonly key: string;
  /** `null` for a secret or if it cannot be decrypted with this server's encryption key. */
  readonly value: string | null;
  readonly locked: boolean;
  readonly secret: boolean;
}

/** A variable as stored in the database. */
export interface StoredVariable {
  readonly key: string;
  /** Encrypted, unless stored by an older release. */
  readonly value: string;
  readonly isSealed?: boolean;
  readonly locked?: boolean;
  readonly secret?: boolean;
}

/** Fields set by a creation or a change. */
export interface VariableInput {
  readonly key: string;
  /** `null` or the mask stands for the hidden value. */
  readonly value: string | null;
  readonly locked?: boolean;
  readonly secret?: boolean;
}

/** Shown instead of a value that the reader may not see. */
export const mask = "********";

export const maxValueLength = 32_768;

/** Whether the value is locked or secret, so that no result may show it. */
export function isHidden({ locked, secret }: Pick<StoredVariable, "locked" | "secret">): boolean {
  return locked === true || secret === true;
}

/** Returns `null` if the value was encrypted with another key. */
export function openValue(
  { value, isSealed }: StoredVariable,
  encryption: Encryption,
): string | null {
  return isSealed === true ? encryption.tryDecrypt(value) : value;
}

export function showVariable(
  stored: StoredVariable,
  encryption: Encryption,
  { mayWrite }: { readonly mayWrite: boolean },
): Variable {
  const { key, locked = false, secret = false } = stored;
  if (secret) return { key, value: null, locked, secret };
  const value = openValue(stored, encryption);
  return { key, value: value !== null && locked && !mayWrite ? mask : value, locked, secret };
}

export type StoreDecision =
  | { readonly kind: "stored"; readonly variable: StoredVariable }
  /** A hidden value would become visible. */
  | { readonly kind: "unlocked" }
  /** No stored value exists for the mask or `null`. */
  | { readonly kind: "no-value" };

/** A secret stays secret: otherwise a change could reveal the value. */
export function decideStored(
  before: StoredVariable | null,
  { key, value, locked = false, secret: isMadeSecret = false }: VariableInput,
  encryption: Encryption,
): StoreDecision {
  const secret = before?.secret === true || isMadeSecret;
  const keepsStored = before !== null && isHidden(before) && (value === mask || value === null);
  if (keepsStored) {
    if (!isHidden({ locked, secret })) return { kind: "unlocked" };
    return { kind: "stored", variable: { ...before, key, locked, secret } };
  }
  if (value === null) return { kind: "no-value" };
  const sealed = encryption.encrypt(value);
  return { kind: "stored", variable: { key, value: sealed, isSealed: true, locked, secret } };
}

export const rejections = {
  unlocked: "must be entered again when it is unlocked",
  "no-value": "must be a text",
} as const satisfies Readonly<Record<Exclude<StoreDecision["kind"], "stored">, string>>;
