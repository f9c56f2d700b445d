/**
 * Variables that requests reference as `{{KEY}}`. The module stores the variables of an account,
 * and contains the rules for variables of accounts, groups and checks. A *locked* value is visible
 * only to callers who may change it, and a *secret* value to nobody. Locked and secret values are
 * *hidden*: no result shows them. Every value is encrypted in the database. Tables: variables.
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
