import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";

/** What the actions of this room need of the world. */
export interface IncidentsContext {
  readonly db: Database;
  readonly clock: Clock;
}
