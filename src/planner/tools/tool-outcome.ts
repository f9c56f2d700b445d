import type {
  CompareWindowsData,
  GetCheckData,
  GetIncidentData,
  GetResultData,
  GetStatisticsData,
  GetStatusData,
  ListAlertsData,
  ListChannelsData,
  ListChecksData,
  ListDashboardsData,
  ListDeliveriesData,
  ListGroupsData,
  ListIncidentsData,
  ListLocationsData,
  ListMaintenanceData,
  ListMembersData,
  ListNamesData,
  ListResultsData,
  ListServicesData,
  ListStateChangesData,
  ListStatusPagesData,
  NeedsConfirmationData,
  WriteDoneData,
} from "./tool-data.ts";

interface PersonOnCall {
  readonly memberId: string;
  readonly name: string;
}

export interface WhoIsOnCallData {
  readonly at: string;
  /** Id of the member who asks the question; `null` for an API key that belongs to no user. */
  readonly callerId: string | null;
  readonly schedules: readonly {
    readonly scheduleId: string;
    readonly name: string;
    readonly timeZone: string;
    readonly person: PersonOnCall | null;
    readonly until: string | null;
    readonly next: (PersonOnCall & { readonly from: string }) | null;
    readonly shifts: readonly {
      readonly from: string;
      readonly to: string;
      readonly person: PersonOnCall | null;
    }[];
  }[];
  readonly isTruncated: boolean;
}

type WriteData = NeedsConfirmationData | WriteDoneData;

/** Type of the output data, by tool name. */
export interface ToolOutputs {
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

export type ToolName = keyof ToolOutputs;

export interface ToolCall {
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Name of the list that the output of each tool must contain. */
const lists: Readonly<Partial<Record<ToolName, string>>> = {
  list_checks: "checks",
  get_status: "checks",
  list_results: "results",
  get_result: "reasons",
  get_statistics: "checks",
  compare_windows: "checks",
  list_state_changes: "changes",
  list_incidents: "incidents",
  get_incident: "updates",
  list_deliveries: "deliveries",
  list_maintenance: "windows",
  list_locations: "locations",
  list_names: "services",
  list_groups: "groups",
  list_services: "services",
  list_status_pages: "pages",
  list_channels: "channels",
  list_members: "members",
  list_dashboards: "dashboards",
  list_alerts: "alerts",
  who_is_on_call: "schedules",
};

/** A source that an answer may cite. */
export interface Source {
  readonly id: string;
  readonly label: string;
  readonly url: string;
}

export interface Failure {
  readonly kind: "failure";
  readonly tool: string;
  readonly message: string;
}

export interface Answered<Data = unknown> {
  readonly kind: "answered";
  readonly data: Data;
  readonly sources: readonly Source[];
}

export type Outcome = Failure | Answered;

/** Returns a key that identifies a tool call, independent of the order of its input fields. */
export function keyOf(tool: string, input: unknown): string {
  return `${tool} ${stringify(input)}`;
}

function stringify(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${stringify(field)}`).join(",")}}`;
}

/** Parses a tool result from the conversation: JSON data, usually with sources. */
export function parseOutcome(tool: string, value: unknown): Outcome {
  const unreadable: Failure = { kind: "failure", tool, message: "its answer could not be read" };
  if (!isRecord(value)) return unreadable;
  const data = "data" in value ? value.data : value;
  if (!isRecord(data)) return unreadable;
  if (typeof data.error === "string") {
    return { kind: "failure", tool, message: String(data.message ?? data.error) };
  }
  const isWrite = /^(?:post|mute|create|run|acknowledge|page|snooze|reassign|escalate)_/.test(tool);
  if (isWrite && typeof data.summary !== "string") return unreadable;
  const list = lists[tool as ToolName];
  if (list !== undefined && !Array.isArray(data[list])) return unreadable;
  return { kind: "answered", data, sources: parseSources(value.sources) };
}

function parseSources(value: unknown): Source[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (item): item is Source =>
      isRecord(item) &&
      typeof item.id === "string" &&
      typeof item.label === "string" &&
      typeof item.url === "string",
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
