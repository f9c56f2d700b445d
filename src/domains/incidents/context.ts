import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";

/** Dependencies of this module's actions. */
export interface IncidentsContext {
  readonly db: Database;
  readonly clock: Clock;
}
