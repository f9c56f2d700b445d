import type { ToolOutputs } from "../../../planner/tools/tool-outcome.ts";
import type * as data from "../tool-data.ts";

type WriteData = data.NeedsConfirmationData | data.WriteDoneData;

/** The compiler checks the tools' outputs against what the planner reads. */
interface ActualOutputs extends ToolOutputs {
  readonly list_checks: data.ListChecksData;
  readonly get_check: data.GetCheckData;
  readonly get_status: data.GetStatusData;
  readonly list_results: data.ListResultsData;
  readonly get_result: data.GetResultData;
  readonly get_statistics: data.GetStatisticsData;
  readonly compare_windows: data.CompareWindowsData;
  readonly list_state_changes: data.ListStateChangesData;
  readonly list_incidents: data.ListIncidentsData;
  readonly get_incident: data.GetIncidentData;
  readonly list_deliveries: data.ListDeliveriesData;
  readonly list_maintenance: data.ListMaintenanceData;
  readonly list_locations: data.ListLocationsData;
  readonly list_names: data.ListNamesData;
  readonly list_groups: data.ListGroupsData;
  readonly list_services: data.ListServicesData;
  readonly list_status_pages: data.ListStatusPagesData;
  readonly list_channels: data.ListChannelsData;
  readonly list_members: data.ListMembersData;
  readonly list_dashboards: data.ListDashboardsData;
  readonly list_alerts: data.ListAlertsData;
  readonly acknowledge_alert: WriteData;
  readonly post_incident_update: WriteData;
  readonly mute_check: WriteData;
  readonly create_check: WriteData;
  readonly run_check: WriteData;
}

export type PlannerToolName = keyof ActualOutputs;
