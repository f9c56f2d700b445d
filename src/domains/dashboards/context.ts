import type { Log } from "../../platform/log.ts";
import type { News } from "../../platform/news.ts";
import type { RunsContext } from "../runs/index.ts";
import type { StatusPagesContext } from "../status-pages/index.ts";

/** What the actions of this room need. */
export interface DashboardsContext extends StatusPagesContext, Pick<RunsContext, "watchList"> {
  readonly log: Log;
  /** Of accounts whose public pages may have changed. */
  readonly pageNews: News;
  readonly checkNews: News;
  /** Of accounts with a check whose state has changed. */
  readonly stateNews: News;
}
