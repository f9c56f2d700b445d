import type { Encryption } from "../../platform/encryption.ts";
import type { Caller } from "../accounts/index.ts";
import { type StoredVariable, showVariables, type Variable } from "../variables/index.ts";

/** What an answer about a check or a group depends on, beside the check. */
export interface CheckView {
  readonly publicUrl: string;
  /** Hidden values are masked for those who may not see them. */
  readonly showVariables: (variables: readonly StoredVariable[]) => Variable[];
}

export function createView(
  context: { readonly encryption: Encryption; readonly publicUrl: () => string },
  caller: Caller,
): CheckView {
  return {
    publicUrl: context.publicUrl(),
    showVariables: (variables) => showVariables(variables, context.encryption, caller),
  };
}
