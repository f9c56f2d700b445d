import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { BackupKeeper } from "./keeper.ts";

/** Dependencies of this module's actions. */
export interface BackupsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly backups: BackupKeeper;
}
