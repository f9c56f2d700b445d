import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { BackupKeeper } from "./keeper.ts";

/** What the actions of this room depend on. */
export interface BackupsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly backups: BackupKeeper;
}
