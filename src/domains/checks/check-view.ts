import type { Encryption } from "../../platform/encryption.ts";
import type { Caller } from "../accounts/index.ts";
import { type StoredVariable, showVariables, type Variable } from "../variables/index.ts";

/** Data that a response about a check or group needs besides the check itself. */
export interface CheckView {
  readonly publicUrl: string;
  /** Masks values that the caller may not see. */
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
