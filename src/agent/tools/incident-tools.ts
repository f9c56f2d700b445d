import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import { Filled, OneOf } from "../../platform/http/schema.ts";
import {
  draftIncident,
  getIncident,
  type Incident,
  incidentStatuses,
  listActiveIncidents,
  postUpdate,
} from "../../response/incidents/index.ts";
import type { WriteDoneData } from "../tool.ts";
import { defineReadTool, defineWriteTool } from "../tool.ts";
import {
  DraftIncidentSchema,
  type GetIncidentData,
  GetIncidentSchema,
  type IncidentBrief,
  type ListIncidentsData,
  ListIncidentsSchema,
} from "../tool-shapes/event-data.ts";
import { clipForModel } from "./result-tools.ts";
import {
  From,
  IncidentReference,
  incidentSource,
  limitSources,
  parseTime,
  ServiceReference,
  To,
} from "./sources.ts";

const maxIncidents = 50;

const maxUpdates = 50;

function findLastActivity({ updates, createdAt }: Incident): Date {
  return updates[0]?.publicAt ?? createdAt;
}

function toBrief(incident: Incident): IncidentBrief {
  return {
    incidentId: incident.id,
    name: incident.name,
    severity: incident.severity,
    status: incident.status,
    startedAt: formatDateTime(incident.startedAt),
    resolvedAt: incident.resolvedAt && formatDateTime(incident.resolvedAt),
    lastActivityAt: formatDateTime(findLastActivity(incident)),
    services: incident.services.map(({ name }) => name),
    isAutomatic: incident.isAutomatic,
  };
}

export const listIncidentsTool = defineReadTool({
  name: "list_incidents",
  title: "List incidents",
  description:
    "Public incidents by last activity, newest first: ongoing, resolved, of one service, or open " +
    "at some time between from and to.",
  InputSchema: Type.Object(
    {
      status: Type.Optional({
        ...OneOf(["ongoing", "resolved"]),
        description: "Only ongoing or only resolved incidents.",
      }),
      serviceId: Type.Optional(ServiceReference),
      from: Type.Optional(From),
      to: Type.Optional(To),
    },
    { additionalProperties: false },
  ),
  DataSchema: ListIncidentsSchema,
  run: async (context, caller, { status, serviceId, from, to }) => {
    const fromMs = from === undefined ? null : parseTime("from", from);
    const toMs = to === undefined ? null : parseTime("to", to);
    if (fromMs !== null && toMs !== null && fromMs >= toMs) {
      throw invalid("from", "must be before to");
    }
    const found = await listActiveIncidents(context, caller, {
      limit: maxIncidents + 1,
      status,
      serviceId,
      from: fromMs === null ? null : new Date(fromMs),
      to: toMs === null ? null : new Date(toMs),
    });
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
  title: "Show an incident",
  description: "One incident with its updates, newest first.",
  InputSchema: Type.Object({ incidentId: IncidentReference }, { additionalProperties: false }),
  DataSchema: GetIncidentSchema,
  run: async (context, caller, { incidentId }) => {
    const incident = await getIncident(context, caller, incidentId);
    const data: GetIncidentData = {
      ...toBrief(incident),
      updates: incident.updates.slice(0, maxUpdates).map((update) => ({
        updateId: update.id,
        status: update.status,
        description: clipForModel(update.description, 2_000),
        at: formatDateTime(update.publicAt),
        notifiedSubscribers: update.notifySubscribers,
      })),
    };
    return { data, sources: [incidentSource(context, incident.id, incident.name)] };
  },
});

/** Maximum length of an update, so that the user can read the whole text before confirming. */
const maxDescriptionLength = 2_000;

export const postIncidentUpdateTool = defineWriteTool({
  name: "post_incident_update",
  title: "Post an incident update",
  description:
    "Post an update to an incident, which is public on its status pages. Subscribers are not " +
    "notified; only a person can decide that.",
  right: "write",
  InputSchema: Type.Object(
    {
      incidentId: IncidentReference,
      status: {
        ...OneOf(incidentStatuses),
        description: "Status of the incident from this update on.",
      },
      description: Filled({
        maxLength: maxDescriptionLength,
        description: "Public text, in Markdown.",
      }),
    },
    { additionalProperties: false },
  ),
  propose: async (context, caller, input) => {
    const { name, status } = await getIncident(context, caller, input.incidentId);
    return {
      summary:
        `Post an update with the status ${input.status} to the incident ${JSON.stringify(name)} ` +
        `(${input.incidentId}), without notifying subscribers: ${JSON.stringify(input.description)}`,
      proposal: input,
      changes: [
        { what: "Status", before: status, after: input.status },
        { what: "Update", before: null, after: input.description },
        { what: "Subscribers", before: null, after: "nobody is notified" },
      ],
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
      summary: `The update has been posted to the incident ${JSON.stringify(name)}, which is now ${status}.`,
      targetId: update.id,
    };
    return { data, sources: [incidentSource(context, incidentId, name)] };
  },
});

export const draftIncidentTool = defineReadTool({
  name: "draft_incident",
  title: "Draft an incident",
  description:
    "Text for a new incident of a service, or for the next update of an incident, from the state " +
    "of its checks. Nothing is posted. Give one of the two.",
  InputSchema: Type.Object(
    {
      serviceId: Type.Optional({
        ...ServiceReference,
        description: "The service of the new incident: its id or name.",
      }),
      incidentId: Type.Optional(IncidentReference),
      status: Type.Optional({
        ...OneOf(incidentStatuses),
        description: "With incidentId: the status of the update. By default from its checks.",
      }),
    },
    { additionalProperties: false },
  ),
  DataSchema: DraftIncidentSchema,
  run: async (context, caller, { serviceId, incidentId, ...more }) => {
    if ((serviceId === undefined) === (incidentId === undefined)) {
      throw invalid("serviceId", "or incidentId must be given, but not both");
    }
    const serviceIds = serviceId === undefined ? undefined : [serviceId];
    const request = { incidentId, serviceIds, status: more.status, variables: new Map() };
    const drafted = await draftIncident(context, caller, request);
    const { name, severity, status, description, startedAt, services } = drafted;
    const data = {
      name,
      severity,
      status,
      description,
      startedAt: startedAt && formatDateTime(startedAt),
      services: services.map(({ service }) => service.name),
    };
    const sources = incidentId === undefined ? [] : [incidentSource(context, incidentId, name)];
    return { data, sources };
  },
});
