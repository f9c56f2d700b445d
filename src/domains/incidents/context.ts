import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";

/** What this room's actions depend on. */
export interface IncidentsContext {
  readonly db: Database;
  readonly clock: Clock;
}
