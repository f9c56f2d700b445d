import type { Log } from "../../platform/log.ts";
import type { StatesContext } from "../states/index.ts";

export interface StatisticsContext extends StatesContext {
  readonly log: Log;
}
