import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";

/** What the actions of this room depend on. */
export interface ChecksContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  /** Where the service is reached from outside. */
  readonly publicUrl: () => string;
}

export interface CheckListContext extends ChecksContext {
  /** Ids of the account's checks without recent results; only the runs room knows them. */
  readonly listSilentIds: (accountId: string) => Promise<readonly string[]>;
  /** Where a check runs that names no location. */
  readonly defaultLocation: string;
}
