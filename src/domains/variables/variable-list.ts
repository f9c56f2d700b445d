import type { Encryption } from "../../platform/encryption.ts";
import { invalid } from "../../platform/errors.ts";
import { type Caller, isAllowed } from "../accounts/index.ts";
import {
  decideStored,
  refusals,
  type StoredVariable,
  showVariable,
  type Variable,
  type VariableInput,
} from "./variable.ts";

const field = "environmentVariables";

/** The variables of a check or a group after a creation or a change. Undefined: as before. */
export function storeVariables(
  before: readonly StoredVariable[],
  inputs: readonly VariableInput[] | null | undefined,
  encryption: Encryption,
): readonly StoredVariable[] {
  if (inputs === undefined) return before;
  const known = new Map(before.map((variable) => [variable.key, variable]));
  const keys = new Set<string>();
  return (inputs ?? []).map((input, index) => {
    if (keys.has(input.key)) throw invalid(`${field}.${index}.key`, "is there twice");
    keys.add(input.key);
    const decision = decideStored(known.get(input.key) ?? null, input, encryption);
    if (decision.kind === "stored") return decision.variable;
    throw invalid(`${field}.${index}.value`, refusals[decision.kind]);
  });
}

/** As the caller may see them. */
export function showVariables(
  variables: readonly StoredVariable[],
  encryption: Encryption,
  { role }: Caller,
): Variable[] {
  const mayWrite = isAllowed("write", role, false);
  return variables.map((variable) => showVariable(variable, encryption, { mayWrite }));
}
