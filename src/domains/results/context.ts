import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";

/** Dependencies of the actions. */
export interface ResultsContext {
  readonly db: Database;
  readonly clock: Clock;
}
