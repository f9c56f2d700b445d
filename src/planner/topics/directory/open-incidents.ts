import { ask, type Found, type Plan, settle } from "../../plan.ts";
import type { KnownThing } from "../../reading/vocabulary.ts";
import type { IncidentBrief, ListIncidentsData } from "../../tools/tool-data.ts";
import { quote, writeDuration, writeMoment } from "../../wording.ts";
import type { Situation } from "../situation.ts";

/** What the public is told about services now; null when none of the things is a service. */
export function askOpenIncidents(
  things: readonly KnownThing[],
): Plan<Found<ListIncidentsData> | null> {
  const services = things.filter(({ kind }) => kind === "service");
  const [only] = services;
  if (only === undefined) return settle(null);
  const one = services.length === 1 ? { serviceId: only.id } : {};
  return ask("list_incidents", { ...one, status: "ongoing" });
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
    `open incident ${quote(name)} (${severity.toLowerCase()}): ${status.toLowerCase()}, began ${writeMoment(startedAt)}, open for ${lasted}.${answer.cite(found, incidentId)}`,
  );
}
