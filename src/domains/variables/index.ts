/**
 * Variables that requests reference as `{{KEY}}`. Stores the variables of an account and contains
 * the rules for all variables. A *locked* value is visible only to those who may change it, a
 * *secret* to nobody. Both are *hidden*: no result shows them. Every value is encrypted in the
 * database.
 * Tables: variables.
 */

export type { VariablesContext } from "./variable-store.ts";
export {
  type AccountVariables,
  createAccountVariables,
  isHidden,
  listAllVariables,
  listSealedInVariables,
  openValue,
  type StoredVariable,
  showVariables,
  storeVariables,
  type Variable,
  type VariableInput,
} from "./variable-store.ts";
export {
  addVariableRoutes,
  changeVariable,
  createVariable,
  createVariableList,
  removeVariable,
  VariableBody,
  VariableList,
} from "./variables.ts";
