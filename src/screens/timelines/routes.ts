import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
  parseTimestamp,
} from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { severities } from "../../response/incidents/index.ts";
import { Status } from "../../runs/states/index.ts";
import { getTimeline, type Timeline, type TimelinesContext } from "./actions.ts";
import { annotationTypes } from "./annotation.ts";

const TimelineParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
const TimelineQuery = Type.Object({
  from: Described(
    Type.Optional(DateTime),
    "Start of the range; by default one day before the end.",
  ),
  to: Described(Type.Optional(DateTime), "End of the range; by default now."),
});

const Begin = Described(DateTime, "Start.");
const End = Described(DateTime, "End, or the end of the range.");

const TimelineSchema = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    from: Described(DateTime, "Start of the range."),
    to: Described(DateTime, "End of the range."),
    states: Type.Array(
      Type.Object({ from: Begin, to: End, state: Described(Status, "The check's status.") }),
      { description: "The check's status over the range, oldest first." },
    ),
    incidents: Type.Array(
      Type.Object({
        id: Described(Guid, "The incident's id."),
        name: Type.String({ description: "The incident's name.", examples: ["Slow responses"] }),
        severity: Described(OneOf(severities), "The severity."),
        from: Begin,
        to: Described(OrNull(DateTime), "When it was resolved; `null` if it is ongoing."),
      }),
      {
        description:
          "Incidents that the check opened or that affect a service that follows it, newest first.",
      },
    ),
    maintenance: Type.Array(
      Type.Object({
        id: Type.Integer({ description: "The window's id.", examples: [7] }),
        name: Type.String({ description: "The window's name.", examples: ["Weekly upgrade"] }),
        from: Begin,
        to: Described(DateTime, "When it ends."),
      }),
      { description: "Maintenance that applies to the check, newest first." },
    ),
    alerts: Type.Array(
      Type.Object({
        id: Described(Guid, "The alert's id."),
        alertType: Type.String({ description: "The kind of alert.", examples: ["ALERT_FAILURE"] }),
        at: Described(DateTime, "When it happened."),
      }),
      { description: "Alerts that were sent, newest first." },
    ),
    edits: Type.Array(
      Type.Object({
        id: Described(Guid, "The id of the entry in the audit log."),
        at: Described(DateTime, "Time of the change."),
        by: Type.String({ description: "Name of the author at that time.", examples: ["Ada"] }),
        action: Type.String({ description: "The action.", examples: ["check.updated"] }),
        fields: Type.Array(Type.String(), {
          description: "The changed fields.",
          examples: [["frequency"]],
        }),
      }),
      {
        description:
          "Changes to the check, newest first; empty for callers who may not read the audit log.",
      },
    ),
    annotations: Type.Array(
      Type.Object({
        id: Described(Guid, "The annotation's id."),
        type: Described(OneOf(annotationTypes), "A note or a deployment."),
        text: Type.String({ description: "The text.", examples: ["shop 4.2.0"] }),
        url: Described(OrNull(Type.String()), "A URL with details; `null` if there is none."),
        at: Described(DateTime, "When it happened."),
        by: Type.String({ description: "Name of the author at that time.", examples: ["ci"] }),
      }),
      { description: "Notes and deployments that apply to the check, newest first." },
    ),
    missedRuns: Type.Array(
      Type.Object({
        from: Described(DateTime, "The last run before them."),
        to: Described(DateTime, "The first run after them."),
        location: Described(
          OrNull(Type.String({ examples: ["eu-central-1"] })),
          "The location; `null` if the locations take turns.",
        ),
        count: Type.Integer({ description: "Number of missed runs.", examples: [3] }),
      }),
      {
        description:
          "Runs that were due and have no result, newest first, as after an outage of the server. " +
          "Runs whose results a probe delivers later are removed.",
      },
    ),
    isTruncated: Type.Boolean({
      description: "Whether there are more entries; the newest are returned.",
    }),
  },
  { title: "CheckTimeline" },
);

const toWireMoment = (ms: number) => formatDateTime(new Date(ms));

function listFields(changes: Readonly<Record<string, unknown>>): string[] {
  const { fields } = changes;
  return Array.isArray(fields) ? fields.filter((field) => typeof field === "string") : [];
}

function toWireTimeline(timeline: Timeline) {
  return {
    checkId: timeline.check.id,
    from: toWireMoment(timeline.span.fromMs),
    to: toWireMoment(timeline.span.toMs),
    states: timeline.states.map(({ state, fromMs, toMs }) => ({
      from: toWireMoment(fromMs),
      to: toWireMoment(toMs),
      state,
    })),
    incidents: timeline.incidents.map(({ id, name, severity, startedAt, resolvedAt }) => ({
      id,
      name,
      severity,
      from: formatDateTime(startedAt),
      to: resolvedAt && formatDateTime(resolvedAt),
    })),
    maintenance: timeline.maintenance.map(({ id, name, fromMs, toMs }) => ({
      id,
      name,
      from: toWireMoment(fromMs),
      to: toWireMoment(toMs),
    })),
    alerts: timeline.alerts.map(({ id, kind, at }) => ({
      id,
      alertType: kind,
      at: formatDateTime(at),
    })),
    edits: timeline.edits.map(({ id, at, actorName, action, changes }) => ({
      id,
      at: formatDateTime(at),
      by: actorName,
      action,
      fields: listFields(changes),
    })),
    annotations: timeline.annotations.map(({ id, type, text, url, at, author }) => ({
      id,
      type,
      text,
      url,
      at: formatDateTime(at),
      by: author,
    })),
    missedRuns: timeline.missedRuns.map(({ from, to, location, count }) => ({
      from: formatDateTime(from),
      to: formatDateTime(to),
      location,
      count,
    })),
    isTruncated: timeline.isTruncated,
  };
}

export function addTimelineRoutes(server: HttpServer, context: TimelinesContext): void {
  server.get(
    "/v1/check-timelines/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Statuses"],
        operationId: "getCheckTimeline",
        summary: "Read the timeline of a check: states, incidents, maintenance, alerts, edits",
        description:
          "Everything that a chart of the check marks, in one response. The reasons of status changes " +
          "are in the check's state changes.",
        params: TimelineParams,
        querystring: TimelineQuery,
        response: answers({ 200: TimelineSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) =>
      toWireTimeline(
        await getTimeline(context, caller, {
          checkId: params.checkId,
          fromMs: parseTimestamp("from", query.from),
          toMs: parseTimestamp("to", query.to),
        }),
      ),
  );
}
