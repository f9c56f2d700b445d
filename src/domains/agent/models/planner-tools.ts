import type { ToolOutputs } from "../../../planner/tools/tool-outcome.ts";
import type * as given from "../tool-data.ts";

type WriteData = given.NeedsConfirmationData | given.WriteDoneData;

/** What the tools give, held by the compiler against what the planner reads from them. */
interface GivenOutputs extends ToolOutputs {
  readonly list_checks: given.ListChecksData;
  readonly get_check: given.GetCheckData;
  readonly get_status: given.GetStatusData;
  readonly list_results: given.ListResultsData;
  readonly get_result: given.GetResultData;
  readonly get_statistics: given.GetStatisticsData;
  readonly compare_windows: given.CompareWindowsData;
  readonly list_state_changes: given.ListStateChangesData;
  readonly list_incidents: given.ListIncidentsData;
  readonly get_incident: given.GetIncidentData;
  readonly list_deliveries: given.ListDeliveriesData;
  readonly list_maintenance: given.ListMaintenanceData;
  readonly list_locations: given.ListLocationsData;
  readonly list_names: given.ListNamesData;
  readonly list_groups: given.ListGroupsData;
  readonly list_services: given.ListServicesData;
  readonly list_status_pages: given.ListStatusPagesData;
  readonly list_channels: given.ListChannelsData;
  readonly list_members: given.ListMembersData;
  readonly list_dashboards: given.ListDashboardsData;
  readonly list_alerts: given.ListAlertsData;
  readonly acknowledge_alert: WriteData;
  readonly post_incident_update: WriteData;
  readonly mute_check: WriteData;
  readonly create_check: WriteData;
  readonly run_check: WriteData;
}

export type PlannerToolName = keyof GivenOutputs;
