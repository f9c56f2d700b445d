import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import { Guid, OneOf } from "../../../platform/http/schema.ts";
import type { Caller } from "../../accounts/index.ts";
import {
  getIncident,
  type Incident,
  incidentStatuses,
  listOwnIncidents,
  postUpdate,
} from "../../incidents/index.ts";
import type { AgentContext } from "../context.ts";
import { defineReadTool, defineWriteTool } from "../tool.ts";
import type {
  GetIncidentData,
  IncidentBrief,
  ListIncidentsData,
  WriteDoneData,
} from "../tool-data.ts";
import { Moment, parseMoment } from "./moment.ts";
import { clipText } from "./result-data.ts";
import { incidentSource, limitSources } from "./sources.ts";

const maxIncidents = 50;
const maxUpdates = 50;
/** Looked through at most, a page at a time. */
const pageSize = 100;
const maxPages = 10;

function toBrief(incident: Incident): IncidentBrief {
  return {
    incidentId: incident.id,
    name: incident.name,
    severity: incident.severity,
    status: incident.status,
    startedAt: formatDateTime(incident.startedAt),
    resolvedAt: incident.resolvedAt && formatDateTime(incident.resolvedAt),
    services: incident.services.map(({ name }) => name),
    isAutomatic: incident.isAutomatic,
  };
}

interface Wanted {
  readonly status?: "ongoing" | "resolved" | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

function isOpenWithin({ startedAt, resolvedAt }: Incident, { fromMs, toMs }: Wanted): boolean {
  const endsMs = resolvedAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return startedAt.getTime() < toMs && endsMs >= fromMs;
}

/** One more than is shown, if there are as many. */
async function findIncidents(
  context: AgentContext,
  caller: Caller,
  wanted: Wanted,
): Promise<Incident[]> {
  const found: Incident[] = [];
  let nextId: string | undefined;
  for (let page = 0; page < maxPages && found.length <= maxIncidents; page += 1) {
    const query = { limit: pageSize + 1, status: wanted.status, nextId };
    const incidents = await listOwnIncidents(context, caller, query);
    const own = incidents.slice(0, pageSize);
    found.push(...own.filter((incident) => isOpenWithin(incident, wanted)));
    nextId = incidents[pageSize]?.id;
    if (nextId === undefined) break;
  }
  return found;
}

export const listIncidentsTool = defineReadTool({
  name: "list_incidents",
  description:
    "Incidents as the public is told of them, newest first: going on, resolved, or open at some " +
    "moment between from and to.",
  InputSchema: Type.Object(
    {
      status: Type.Optional(OneOf(["ongoing", "resolved"])),
      from: Type.Optional(Moment),
      to: Type.Optional(Moment),
    },
    { additionalProperties: false },
  ),
  run: async (context, caller, { status, from, to }) => {
    const fromMs = from === undefined ? 0 : parseMoment("from", from);
    const toMs = to === undefined ? Number.POSITIVE_INFINITY : parseMoment("to", to);
    if (fromMs >= toMs) throw invalid("from", "must be before to");
    const found = await findIncidents(context, caller, { status, fromMs, toMs });
    const incidents = found.slice(0, maxIncidents).map(toBrief);
    const data: ListIncidentsData = { incidents, isTruncated: found.length > maxIncidents };
    const sources = incidents.map(({ incidentId, name }) =>
      incidentSource(context, incidentId, name),
    );
    return { data, sources: limitSources(sources) };
  },
});

export const getIncidentTool = defineReadTool({
  name: "get_incident",
  description: "One incident with its updates, newest first.",
  InputSchema: Type.Object({ incidentId: Guid }, { additionalProperties: false }),
  run: async (context, caller, { incidentId }) => {
    const incident = await getIncident(context, caller, incidentId);
    const data: GetIncidentData = {
      ...toBrief(incident),
      updates: incident.updates.slice(0, maxUpdates).map((update) => ({
        updateId: update.id,
        status: update.status,
        description: clipText(update.description, 2_000),
        at: formatDateTime(update.publicAt),
        notifiedSubscribers: update.notifySubscribers,
      })),
    };
    return { data, sources: [incidentSource(context, incident.id, incident.name)] };
  },
});

/** All of it stands in what the user confirms. */
const maxDescriptionLength = 2_000;

export const postIncidentUpdateTool = defineWriteTool({
  name: "post_incident_update",
  description:
    "Post an update to an incident, which everybody sees on its status pages. Nobody is notified " +
    "of it; that is for a person to decide.",
  right: "write",
  InputSchema: Type.Object(
    {
      incidentId: Guid,
      status: OneOf(incidentStatuses),
      description: Type.String({
        minLength: 1,
        maxLength: maxDescriptionLength,
        pattern: "\\S",
        description: "Markdown",
      }),
    },
    { additionalProperties: false },
  ),
  propose: async (context, caller, input) => {
    const { name } = await getIncident(context, caller, input.incidentId);
    return {
      summary:
        `Post an update with the status ${input.status} to the incident ${JSON.stringify(name)} ` +
        `(${input.incidentId}), without notifying subscribers: ${JSON.stringify(input.description)}`,
      proposal: input,
    };
  },
  run: async (context, caller, input) => {
    const { incidentId, status, description } = input;
    const request = { status, description, notifySubscribers: false, variables: new Map() };
    const post = { incidentId, request, body: input, idempotencyKey: undefined };
    const update = await postUpdate(context, caller, post);
    const { name } = await getIncident(context, caller, incidentId);
    const data: WriteDoneData = {
      done: true,
      action: "post_incident_update",
      summary: `The update has been posted to the incident ${JSON.stringify(name)}, which is ${status} now.`,
      targetId: update.id,
    };
    return { data, sources: [incidentSource(context, incidentId, name)] };
  },
});
