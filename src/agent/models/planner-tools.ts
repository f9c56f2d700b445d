import type { ToolOutputs } from "../../planner/tools/tool-outcome.ts";
import type { NeedsConfirmationData, WriteDoneData } from "../tool.ts";
import type {
  CompareWindowsData,
  GetCheckData,
  GetResultData,
  GetStatisticsData,
  GetStatusData,
  ListChecksData,
  ListResultsData,
  ListStateChangesData,
} from "../tool-shapes/check-data.ts";
import type {
  ListChannelsData,
  ListDashboardsData,
  ListGroupsData,
  ListLocationsData,
  ListMembersData,
  ListNamesData,
  ListServicesData,
  ListStatusPagesData,
  WhoIsOnCallData,
} from "../tool-shapes/directory-data.ts";
import type {
  GetIncidentData,
  ListAlertsData,
  ListDeliveriesData,
  ListIncidentsData,
  ListMaintenanceData,
} from "../tool-shapes/event-data.ts";

type WriteData = NeedsConfirmationData | WriteDoneData;

/**
 * Output types of the actual tools. The compiler checks that they match the types that the planner
 * reads.
 */
interface ActualOutputs extends ToolOutputs {
  readonly list_checks: ListChecksData;
  readonly get_check: GetCheckData;
  readonly get_status: GetStatusData;
  readonly list_results: ListResultsData;
  readonly get_result: GetResultData;
  readonly get_statistics: GetStatisticsData;
  readonly compare_windows: CompareWindowsData;
  readonly list_state_changes: ListStateChangesData;
  readonly list_incidents: ListIncidentsData;
  readonly get_incident: GetIncidentData;
  readonly list_deliveries: ListDeliveriesData;
  readonly list_maintenance: ListMaintenanceData;
  readonly list_locations: ListLocationsData;
  readonly list_names: ListNamesData;
  readonly list_groups: ListGroupsData;
  readonly list_services: ListServicesData;
  readonly list_status_pages: ListStatusPagesData;
  readonly list_channels: ListChannelsData;
  readonly list_members: ListMembersData;
  readonly list_dashboards: ListDashboardsData;
  readonly list_alerts: ListAlertsData;
  readonly who_is_on_call: WhoIsOnCallData;
  readonly acknowledge_alert: WriteData;
  readonly post_incident_update: WriteData;
  readonly mute_check: WriteData;
  readonly create_check: WriteData;
  readonly run_check: WriteData;
  readonly page_member: WriteData;
  readonly snooze_alert: WriteData;
  readonly reassign_alert: WriteData;
  readonly escalate_alert: WriteData;
}

export type PlannerToolName = keyof ActualOutputs;
