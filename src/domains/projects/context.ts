import type { ChecksContext } from "../checks/index.ts";
import type { CertificatesContext } from "../client-certificates/index.ts";
import type { DashboardsContext } from "../dashboards/index.ts";
import type { PoliciesContext } from "../escalation-policies/index.ts";
import type { PrivateLocationsContext } from "../locations/index.ts";
import type { MaintenanceContext } from "../maintenance/index.ts";
import type { ScheduleContext } from "../schedule/index.ts";
import type { SnippetsContext } from "../snippets/index.ts";
import type { ServicesContext } from "../status-pages/index.ts";
import type { VariablesContext } from "../variables/index.ts";

/** Dependencies of the actions for all resource types that a project may own. */
export type ResourcesContext = ChecksContext &
  PoliciesContext &
  ServicesContext &
  MaintenanceContext &
  PrivateLocationsContext &
  DashboardsContext &
  VariablesContext &
  CertificatesContext &
  SnippetsContext;

export type ProjectsContext = ResourcesContext & {
  /** Dependencies for running checks after a deployment. */
  readonly schedule: ScheduleContext;
};
