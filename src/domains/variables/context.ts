import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Caller } from "../accounts/index.ts";
import type { AccountVariables } from "./account-variables.ts";

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
