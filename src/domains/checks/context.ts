import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";

/** What the actions of this room need of the world. */
export interface ChecksContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
}

export interface CheckListContext extends ChecksContext {
  /** The account's checks of which nothing is heard any more; only the runs know. */
  readonly listSilentIds: (accountId: string) => Promise<readonly string[]>;
}
