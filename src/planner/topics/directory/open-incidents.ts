import { callTool, type Found, type Plan, settle } from "../../plan.ts";
import type { KnownThing } from "../../reading/vocabulary.ts";
import type { IncidentBrief, ListIncidentsData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeDuration } from "../../wording.ts";
import type { Situation } from "../situation.ts";

/** Fetches open incidents of services; `null` if none of the resources is a service. */
export function fetchOpenIncidents(
  things: readonly KnownThing[],
): Plan<Found<ListIncidentsData> | null> {
  const services = things.filter(({ kind }) => kind === "service");
  const [only] = services;
  if (only === undefined) return settle(null);
  const one = services.length === 1 ? { serviceId: only.id } : {};
  return callTool("list_incidents", { ...one, status: "ongoing" });
}

export function openIncidentsOf(
  found: Found<ListIncidentsData> | null,
  { kind, name }: KnownThing,
): readonly IncidentBrief[] {
  if (found === null || kind !== "service") return [];
  return found.data.incidents.filter(
    ({ services, resolvedAt }) => resolvedAt === null && services.includes(name),
  );
}

export function writeOpenIncident(
  { answer, nowMs }: Situation,
  found: Found<ListIncidentsData>,
  { incidentId, name, severity, status, startedAt }: IncidentBrief,
): void {
  const lasted = writeDuration(nowMs - Date.parse(startedAt));
  answer.item(
    `open incident ${quote(name)} (${severity.toLowerCase()}): ${status.toLowerCase()}, began ${formatTime(startedAt)}, open for ${lasted}.${answer.cite(found, incidentId)}`,
  );
}
