import type { PoliciesContext } from "../../channels/escalation-policies/index.ts";
import type { ChecksContext } from "../../checks/checks/index.ts";
import type { CertificatesContext } from "../../checks/client-certificates/index.ts";
import type { PrivateLocationsContext } from "../../checks/locations/index.ts";
import type { SnippetsContext } from "../../checks/snippets/index.ts";
import type { VariablesContext } from "../../checks/variables/index.ts";
import type { MaintenanceContext } from "../../response/maintenance/index.ts";
import type { ScheduleContext } from "../../runs/scheduling/index.ts";
import type { DashboardsContext } from "../../screens/dashboards/index.ts";
import type { ServicesContext } from "../../sites/status-pages/index.ts";

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
