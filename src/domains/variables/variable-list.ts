import type { Encryption } from "../../platform/encryption.ts";
import { invalid } from "../../platform/errors.ts";
import { type Caller, isAllowed } from "../accounts/index.ts";
import {
  decideStored,
  rejections,
  type StoredVariable,
  showVariable,
  type Variable,
  type VariableInput,
} from "./variable.ts";

const field = "environmentVariables";

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
