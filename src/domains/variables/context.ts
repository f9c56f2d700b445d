import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Caller } from "../accounts/index.ts";
import type { AccountVariables } from "./account-variables.ts";

/** What the actions of this room depend on. */
export interface VariablesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly accountVariables: AccountVariables;
  /** Throws when a new value would send hidden values to another host; only checks know that. */
  readonly assertMayRedefine: (caller: Caller, key: string) => Promise<void>;
}
