/** Parses the query parameters of the incidents screens. */
import type { components } from "../api/schema.d.ts";

type Incident = components["schemas"]["Incident"];
export type Severity = Incident["severity"];
export type IncidentStatus = Incident["lastUpdateStatus"];

export const severities: readonly Severity[] = ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"];
export const statuses: readonly IncidentStatus[] = [
  "INVESTIGATING",
  "IDENTIFIED",
  "MONITORING",
  "RESOLVED",
];

const idPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const isId = (value: unknown): value is string =>
  typeof value === "string" && idPattern.test(value);

export interface IncidentFilter {
  readonly state?: "ongoing" | "resolved";
  readonly severity?: Severity;
  readonly page?: string;
  /** Id at which the displayed page of resolved incidents starts. */
  readonly from?: string;
}

export function parseIncidentSearch(search: Record<string, unknown>): IncidentFilter {
  const { state, page, from } = search;
  const severity = severities.find((one) => one === search.severity);
  return {
    ...((state === "ongoing" || state === "resolved") && { state }),
    ...(severity !== undefined && { severity }),
    ...(isId(page) && { page }),
    ...(isId(from) && { from }),
  };
}

export interface NewIncidentSearch {
  /** Id of a check. The services that follow this check are preselected. */
  readonly checkId?: string;
  readonly serviceId?: string;
  readonly templateId?: string;
}

export function parseNewIncidentSearch(search: Record<string, unknown>): NewIncidentSearch {
  const { checkId, serviceId, templateId } = search;
  return {
    ...(isId(checkId) && { checkId }),
    ...(isId(serviceId) && { serviceId }),
    ...(isId(templateId) && { templateId }),
  };
}

export interface IncidentSearch {
  readonly compose?: "update" | "resolve";
  readonly edit?: true;
}

export function parseOneIncidentSearch({ compose, edit }: Record<string, unknown>): IncidentSearch {
  return {
    ...((compose === "update" || compose === "resolve") && { compose }),
    ...(edit === true && { edit }),
  };
}

export const periods = [30, 90, 365] as const;
export type Period = (typeof periods)[number];

export function parseStatisticsSearch({ days }: Record<string, unknown>): { days?: Period } {
  const period = periods.find((one) => one === days);
  return period === undefined || period === 90 ? {} : { days: period };
}
