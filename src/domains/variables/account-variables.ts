import { AccountMemory } from "../../platform/account-memory.ts";
import type { Database } from "../../platform/database.ts";
import { listAllVariables } from "./store.ts";
import type { StoredVariable } from "./variable.ts";

/** Cache of each account's encrypted variables by key, so that creating an order needs no query. */
export type AccountVariables = AccountMemory<ReadonlyMap<string, StoredVariable>>;

export function createAccountVariables(db: Database, isListening: () => boolean): AccountVariables {
  return new AccountMemory(isListening, async (accountId) => {
    const variables = await listAllVariables(db, accountId);
    return new Map(variables.map((variable) => [variable.key, variable]));
  });
}
