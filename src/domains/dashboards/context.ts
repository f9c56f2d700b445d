import type { ChangeNotifications } from "../../platform/change-channel.ts";
import type { Log } from "../../platform/log.ts";
import type { RunsContext } from "../runs/index.ts";
import type { StatusPagesContext } from "../status-pages/index.ts";

/** Dependencies of this module's actions. */
export interface DashboardsContext extends StatusPagesContext, Pick<RunsContext, "watchList"> {
  readonly log: Log;
  /** Notifies of accounts whose public pages may have changed. */
  readonly pageChanges: ChangeNotifications;
  readonly checkChanges: ChangeNotifications;
  /** Notifies of accounts with a check whose state has changed. */
  readonly stateChanges: ChangeNotifications;
}
