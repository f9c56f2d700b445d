import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";

/** Dependencies of the actions. */
export interface ChecksContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  /** Public base URL of the server. */
  readonly publicUrl: () => string;
}

export interface CheckListContext extends ChecksContext {
  /** Ids of the account's checks without recent results; provided by the `states` module. */
  readonly listSilentIds: (accountId: string) => Promise<readonly string[]>;
  /** Location of a check without configured locations. */
  readonly defaultLocation: string;
}
