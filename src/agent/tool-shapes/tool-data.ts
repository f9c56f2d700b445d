import type { NeedsConfirmationData, Source } from "../tool.ts";
import type {
  CompareWindowsData,
  GetCheckData,
  GetResultData,
  GetStatisticsData,
  GetStatusData,
  ListChecksData,
  ListResultsData,
  ListStateChangesData,
} from "./check-data.ts";
import type {
  ListChannelsData,
  ListDashboardsData,
  ListEscalationPoliciesData,
  ListGroupsData,
  ListLocationsData,
  ListMembersData,
  ListNamesData,
  ListServicesData,
  ListStatusPagesData,
  SearchDocsData,
  WhoIsOnCallData,
} from "./directory-data.ts";
import type {
  DraftIncidentData,
  GetIncidentData,
  ListAlertsData,
  ListDeliveriesData,
  ListIncidentsData,
  ListMaintenanceData,
} from "./event-data.ts";

/** Type of the data that each tool returns if it succeeds. */
export interface ToolData {
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
  readonly draft_incident: DraftIncidentData;
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
  readonly list_escalation_policies: ListEscalationPoliciesData;
  readonly search_docs: SearchDocsData;
  readonly who_is_on_call: WhoIsOnCallData;
  readonly acknowledge_alert: NeedsConfirmationData;
  readonly post_incident_update: NeedsConfirmationData;
  readonly mute_check: NeedsConfirmationData;
  readonly create_check: NeedsConfirmationData;
  readonly run_check: NeedsConfirmationData;
  readonly page_member: NeedsConfirmationData;
  readonly snooze_alert: NeedsConfirmationData;
  readonly reassign_alert: NeedsConfirmationData;
  readonly escalate_alert: NeedsConfirmationData;
}

export type ToolName = keyof ToolData;

/** Data of a tool, with the sources that an answer may cite. */
export interface Found<Data> {
  readonly data: Data;
  readonly sources: readonly Source[];
}
