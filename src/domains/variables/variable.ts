import type { Encryption } from "../../platform/encryption.ts";

/** How people see a variable. */
export interface Variable {
  readonly key: string;
  /** Null: a secret, or it cannot be read with the encryption key of this server. */
  readonly value: string | null;
  readonly locked: boolean;
  readonly secret: boolean;
}

/** As the database has it. */
export interface StoredVariable {
  readonly key: string;
  /** Sealed, unless it is of an older release. */
  readonly value: string;
  readonly isSealed?: boolean;
  readonly locked?: boolean;
  readonly secret?: boolean;
}

/** What a creation or a change sets. */
export interface VariableInput {
  readonly key: string;
  /** The mask, or null, stands for the value that is hidden. */
  readonly value: string | null;
  readonly locked?: boolean;
  readonly secret?: boolean;
}

/** Shown in place of a value that the reader may not see. */
export const mask = "********";

export const maxValueLength = 32_768;

/** Its value is shown to those who may change it only, or to nobody: so no result may show it. */
export function isHidden({ locked, secret }: Pick<StoredVariable, "locked" | "secret">): boolean {
  return locked === true || secret === true;
}

/** Null: it was sealed with another key. */
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
  /** A hidden value would be shown. */
  | { readonly kind: "unlocked" }
  /** Nothing is stored that the mask, or null, could stand for. */
  | { readonly kind: "no-value" };

/** Once secret, always secret: otherwise a change would be a way to read the value. */
export function decideStored(
  before: StoredVariable | null,
  { key, value, locked = false, secret: isMadeSecret = false }: VariableInput,
  encryption: Encryption,
): StoreDecision {
  const secret = before?.secret === true || isMadeSecret;
  const isKept = before !== null && isHidden(before) && (value === mask || value === null);
  if (isKept) {
    if (!isHidden({ locked, secret })) return { kind: "unlocked" };
    return { kind: "stored", variable: { ...before, key, locked, secret } };
  }
  if (value === null) return { kind: "no-value" };
  const sealed = encryption.encrypt(value);
  return { kind: "stored", variable: { key, value: sealed, isSealed: true, locked, secret } };
}

export const refusals = {
  unlocked: "must be typed again when it is unlocked",
  "no-value": "must be a text",
} as const satisfies Readonly<Record<Exclude<StoreDecision["kind"], "stored">, string>>;
