import type { ChannelsContext } from "../alert-channels/index.ts";
import type { ChecksContext } from "../checks/index.ts";
import type { DashboardsContext } from "../dashboards/index.ts";
import type { PrivateLocationsContext } from "../locations/index.ts";
import type { MaintenanceContext } from "../maintenance/index.ts";
import type { ScheduleContext } from "../schedule/index.ts";
import type { ServicesContext } from "../status-pages/index.ts";

/** Dependencies of the actions of all resources that a project may own. */
export type ResourcesContext = ChecksContext &
  ChannelsContext &
  ServicesContext &
  MaintenanceContext &
  PrivateLocationsContext &
  DashboardsContext;

export type ProjectsContext = ResourcesContext & {
  /** Runs checks after a deployment. */
  readonly schedule: ScheduleContext;
};
