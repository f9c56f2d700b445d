import type { Encryption } from "../../platform/encryption.ts";
import { invalid } from "../../platform/errors.ts";
import { type Caller, isAllowed } from "../accounts/index.ts";

/** Shown instead of a value that the reader may not see. */
export const mask = "********";

export const maxValueLength = 32_768;

const field = "environmentVariables";

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

/** Returns the variables of a check or group after a change; unchanged if `inputs` is undefined. */
export function storeVariables(
  before: readonly StoredVariable[],
  inputs: readonly VariableInput[] | null | undefined,
  encryption: Encryption,
): readonly StoredVariable[] {
  if (inputs === undefined) return before;
  const stored = new Map(before.map((variable) => [variable.key, variable]));
  const keys = new Set<string>();
  return (inputs ?? []).map((input, index) => {
    if (keys.has(input.key)) throw invalid(`${field}.${index}.key`, "is a duplicate");
    keys.add(input.key);
    const decision = decideStored(stored.get(input.key) ?? null, input, encryption);
    if (decision.kind === "stored") return decision.variable;
    throw invalid(`${field}.${index}.value`, rejections[decision.kind]);
  });
}

/** Returns the variables as the caller may see them. */
export function showVariables(
  variables: readonly StoredVariable[],
  encryption: Encryption,
  { role }: Caller,
): Variable[] {
  const mayWrite = isAllowed("write", role, false);
  return variables.map((variable) => showVariable(variable, encryption, { mayWrite }));
}
