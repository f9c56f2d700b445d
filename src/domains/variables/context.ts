import { AccountMemory } from "../../platform/account-memory.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Caller } from "../accounts/index.ts";
import type { StoredVariable } from "./variable-store.ts";
import { listAllVariables } from "./variable-store.ts";

/** Cache of each account's encrypted variables by key, so that creating an order needs no query. */
export type AccountVariables = AccountMemory<ReadonlyMap<string, StoredVariable>>;

export function createAccountVariables(db: Database, isListening: () => boolean): AccountVariables {
  return new AccountMemory(isListening, async (accountId) => {
    const variables = await listAllVariables(db, accountId);
    return new Map(variables.map((variable) => [variable.key, variable]));
  });
}

/** Dependencies of the actions. */
export interface VariablesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly accountVariables: AccountVariables;
  /**
   * Throws if a new value would send hidden values to another host. Provided by the `checks`
   * module.
   */
  readonly assertMayRedefine: (caller: Caller, key: string) => Promise<void>;
}
