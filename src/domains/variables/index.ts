/**
 * Values that requests name as `{{KEY}}`: those of an account are kept here, and the rules for all.
 * A *locked* value is shown to those who may change it only, a *secret* to nobody; both are
 * *hidden*, so that no result shows them. Every value is sealed in the database.
 * Tables: variables.
 */
export { type AccountVariables, createAccountVariables } from "./account-variables.ts";
export type { VariablesContext } from "./context.ts";
export { addVariableRoutes } from "./routes.ts";
export { createVariableList, VariableList } from "./schema.ts";
export { listSealedInVariables } from "./sealed-store.ts";
export { listAllVariables } from "./store.ts";
export {
  isHidden,
  openValue,
  type StoredVariable,
  type Variable,
  type VariableInput,
} from "./variable.ts";
export { showVariables, storeVariables } from "./variable-list.ts";
