import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import { severities } from "../incidents/index.ts";
import { Status } from "../runs/index.ts";
import type { Timeline } from "./actions.ts";
import { annotationTypes } from "./annotations/annotation.ts";

export const TimelineParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
export const TimelineQuery = Type.Object({
  from: Described(
    Type.Optional(DateTime),
    "Where the range begins; by default a day before its end.",
  ),
  to: Described(Type.Optional(DateTime), "Where the range ends; by default now."),
});

const Begin = Described(DateTime, "When it began.");
const End = Described(DateTime, "When it ended, or where the range does.");

export const TimelineSchema = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    from: Described(DateTime, "Where the range begins."),
    to: Described(DateTime, "Where the range ends."),
    states: Type.Array(
      Type.Object({ from: Begin, to: End, state: Described(Status, "The check's status.") }),
      { description: "The check's status over the range, oldest first." },
    ),
    incidents: Type.Array(
      Type.Object({
        id: Described(Guid, "The incident's id."),
        name: Type.String({ description: "What it is called.", examples: ["Slow answers"] }),
        severity: Described(OneOf(severities), "How bad it is."),
        from: Begin,
        to: Described(OrNull(DateTime), "When it was resolved; null: it goes on."),
      }),
      {
        description:
          "Incidents that the check opened or that affect a service that follows it, newest first.",
      },
    ),
    maintenance: Type.Array(
      Type.Object({
        id: Type.Integer({ description: "The window's id.", examples: [7] }),
        name: Type.String({ description: "What it is called.", examples: ["Weekly upgrade"] }),
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
        at: Described(DateTime, "When it was done."),
        by: Type.String({ description: "Who did it, by their name then.", examples: ["Ada"] }),
        action: Type.String({ description: "What was done.", examples: ["check.updated"] }),
        fields: Type.Array(Type.String(), {
          description: "The fields that were changed.",
          examples: [["frequency"]],
        }),
      }),
      {
        description:
          "Who changed the check, newest first; none for those who may not read the audit log.",
      },
    ),
    annotations: Type.Array(
      Type.Object({
        id: Described(Guid, "The annotation's id."),
        type: Described(OneOf(annotationTypes), "A note or a deployment."),
        text: Type.String({ description: "What it says.", examples: ["shop 4.2.0"] }),
        url: Described(OrNull(Type.String()), "An address with more; `null` if there is none."),
        at: Described(DateTime, "When it happened."),
        by: Type.String({ description: "Who added it, by their name then.", examples: ["ci"] }),
      }),
      { description: "Notes and deployments that apply to the check, newest first." },
    ),
    missedRuns: Type.Array(
      Type.Object({
        from: Described(DateTime, "The last run before them."),
        to: Described(DateTime, "The first run after them."),
        location: Described(
          OrNull(Type.String({ examples: ["eu-central-1"] })),
          "Where; null: at any place of the check, as its places take turns.",
        ),
        count: Type.Integer({ description: "How many runs were missed.", examples: [3] }),
      }),
      {
        description:
          "Runs that were due and have no result, newest first, as after an outage of the server. " +
          "What a probe had kept and sends later is no longer missed.",
      },
    ),
    isTruncated: Type.Boolean({ description: "True: there was more; the newest is shown." }),
  },
  { title: "CheckTimeline" },
);

const toWireMoment = (ms: number) => formatDateTime(new Date(ms));

function listFields(changes: Readonly<Record<string, unknown>>): string[] {
  const { fields } = changes;
  return Array.isArray(fields) ? fields.filter((field) => typeof field === "string") : [];
}

export function toWireTimeline(timeline: Timeline) {
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
