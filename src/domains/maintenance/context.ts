import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";

export interface MaintenanceContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}
