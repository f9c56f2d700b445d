import { Type } from "typebox";
import { checkTypes } from "../../kinds/index.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import { unnotifiedReasons } from "../../response/alerting/index.ts";
import type { Activity, Overview, TroubledCheck } from "./actions.ts";
import { groupings, type TroubleGroup } from "./actions.ts";

export const OverviewQuery = Type.Object({
  limit: Type.Integer({
    description: "Maximum number of failing and degraded checks to return.",
    minimum: 1,
    maximum: 50,
    default: 30,
  }),
});

const count = (what: string, example: number) =>
  Type.Integer({ description: `Number of checks that ${what}.`, examples: [example] });
const verdicts = OneOf(["passing", "degraded", "failing", "unknown"]);

const SentMessage = Type.Object({
  alertChannelId: Described(OrNull(Type.Integer()), "The channel; `null` if it was deleted.", 7),
  type: Type.String({ description: "The kind of channel.", examples: ["EMAIL"] }),
  recipient: Type.String({
    description: "The recipient, without secrets.",
    examples: ["ops@example.com"],
  }),
  status: Described(
    OneOf(["PENDING", "SENT", "DEAD"]),
    "SENT if the recipient accepted it; DEAD if no further attempts are made.",
  ),
  sentAt: Described(OrNull(DateTime), "When the recipient accepted it; `null` if not yet."),
  reason: Described(
    OrNull(Type.String()),
    "Why the last attempt failed; `null` if it did not fail.",
    null,
  ),
});

const OpenAlert = Type.Object(
  {
    alertId: Described(
      OrNull(Guid),
      "Id of the first alert, for reading its history; `null` if it is no longer stored.",
    ),
    alertNumber: Type.Integer({
      description: "Sequence number of the alert within its check.",
      examples: [3],
    }),
    alertType: Type.String({ description: "Kind of the alert.", examples: ["ALERT_FAILURE"] }),
    openedAt: Described(DateTime, "When it was sent."),
    acknowledgedAt: Described(
      OrNull(DateTime),
      "When it was acknowledged; `null` if it was not.",
      null,
    ),
    acknowledgedBy: Described(
      OrNull(Type.String()),
      "Who acknowledged it; `null` if nobody or unknown.",
      "ada@example.com",
    ),
    told: Type.Array(SentMessage, {
      description: "The newest message to each recipient, at most ten.",
    }),
  },
  { description: "The open alert; `null` if none was sent." },
);

const UntoldSchema = Type.Object(
  {
    reason: Described(
      OneOf(unnotifiedReasons),
      "The reason that must be resolved first.",
      "not-connected",
    ),
    explanation: Type.String({
      description: "The reason as one sentence, with the values of the rules.",
      examples: ["No channel is connected to this check."],
    }),
    alertChannelId: Described(
      OrNull(Type.Integer()),
      "With `not-wanted`: a channel that does not receive such alerts; `null` otherwise.",
      null,
    ),
    parentCheckId: Described(
      OrNull(Guid),
      "With `held-by-parent`: the failing check that it depends on; `null` otherwise.",
      null,
    ),
  },
  { title: "UntoldReason", description: "Why nobody was notified; `null` if somebody was." },
);

const Wrong = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "The check's name.", examples: ["db-1.fra"] }),
    checkType: Type.String({ description: "Its kind.", examples: checkTypes.slice(0, 1) }),
    target: Described(
      OrNull(Type.String()),
      "The target of the check; `null` if unknown.",
      "192.0.2.7",
    ),
    groupName: Described(OrNull(Type.String()), "Its group; null: none.", "Frankfurt"),
    tags: Type.Array(Type.String(), { description: "Tags of the check and of its group." }),
    muted: Type.Boolean({ description: "True if its alerts are held." }),
    status: Described(OneOf(["failing", "degraded"]), "Current status."),
    since: Described(DateTime, "Since when."),
    explanation: Described(
      OrNull(Type.String()),
      "The reason in one sentence; `null` if its result is no longer stored.",
      "60 % of the packets were lost, above the limit of 20 %.",
    ),
    locations: Type.Array(
      Type.Object({
        location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
        verdict: Described(verdicts, "Verdict of the newest run."),
      }),
      { description: "Verdict of each location." },
    ),
    lastHour: Type.Array(
      Described(
        OrNull(verdicts),
        "The worst verdict of five minutes; `null` if there was no run.",
        "passing",
      ),
      {
        description:
          "Twelve slots of five minutes, oldest first. A verdict holds until the next run is due.",
      },
    ),
    alert: OrNull(OpenAlert),
    heldReason: Described(
      OrNull(Type.String()),
      "Why alerts are held, such as muted, in-maintenance or held-by-parent; `null` if they are not.",
      null,
    ),
    untold: OrNull(UntoldSchema),
  },
  { title: "CheckInTrouble" },
);

export const OverviewSchema = Type.Object(
  {
    asOf: Described(DateTime, "The time of the overview."),
    counts: Type.Object(
      {
        failing: count("are failing", 2),
        degraded: count("are degraded", 1),
        unknown: count("have no data", 3),
        passing: count("are passing", 412),
        inactive: count("are deactivated", 0),
      },
      { description: "Number of checks by state." },
    ),
    checks: Type.Array(Wrong, {
      description: "Failing before degraded, newest problem first.",
    }),
    incidents: Type.Array(
      Type.Object({
        id: Described(Guid, "The incident's id."),
        name: Type.String({ description: "Its name.", examples: ["Slow checkout"] }),
        severity: Type.String({ description: "Severity of the incident.", examples: ["MAJOR"] }),
        status: Type.String({
          description: "Status of the last update.",
          examples: ["INVESTIGATING"],
        }),
        startedAt: Described(DateTime, "When it began."),
      }),
      { description: "Unresolved incidents, at most twenty." },
    ),
    maintenance: Type.Array(
      Type.Object({
        id: Type.Integer({ description: "The window's id.", examples: [4] }),
        name: Type.String({ description: "Its name.", examples: ["Weekly reboot"] }),
        startedAt: Described(DateTime, "When it began."),
        endsAt: Described(DateTime, "When it ends."),
      }),
      { description: "Ongoing maintenance, at most twenty." },
    ),
    overload: Described(
      OrNull(
        Type.Object({
          skippedPercent: Type.Integer({
            description: "Percentage of the runs due in the last minute that were skipped.",
            minimum: 1,
            maximum: 100,
            examples: [34],
          }),
          message: Type.String({
            description: "The effect in one sentence.",
            examples: ["overloaded: 34 % of runs are skipped"],
          }),
          advice: Type.String({
            description: "What the operator can do.",
            examples: ["Give the server more CPU."],
          }),
        }),
      ),
      "Runs that exceed the capacity of the servers; `null` if no run is skipped.",
      null,
    ),
  },
  { title: "Overview" },
);

const writeMs = (ms: number) => formatDateTime(new Date(ms));

function toWireCheck({ alerts, ...check }: TroubledCheck) {
  const open = alerts?.open ?? null;
  return {
    checkId: check.id,
    name: check.name,
    checkType: check.kind,
    target: check.target,
    groupName: check.groupName,
    tags: [...check.tags],
    muted: check.isMuted,
    status: check.status,
    since: formatDateTime(check.since),
    explanation: check.explanation,
    locations: [...check.locations],
    lastHour: [...check.slots],
    alert: open && {
      alertId: open.alertId,
      alertNumber: open.alertNumber,
      alertType: open.alertType,
      openedAt: writeMs(open.openedAtMs),
      acknowledgedAt: open.acknowledgedAtMs === null ? null : writeMs(open.acknowledgedAtMs),
      acknowledgedBy: open.acknowledgedBy,
      told: open.told.map(({ channelType: type, sentAt, ...rest }) => ({
        ...rest,
        type,
        sentAt: sentAt && formatDateTime(sentAt),
      })),
    },
    heldReason: alerts?.heldReason ?? null,
    untold: alerts?.untold ?? null,
  };
}

export function toWireOverview(overview: Overview) {
  const { asOf, counts, checks, incidents, maintenance, overload } = overview;
  return {
    asOf: formatDateTime(asOf),
    counts: { ...counts },
    checks: checks.map(toWireCheck),
    incidents: incidents.map(({ id, name, severity, status, startedAt }) => ({
      id,
      name,
      severity,
      status,
      startedAt: formatDateTime(startedAt),
    })),
    maintenance: maintenance.map(({ id, name, startsAtMs, endsAtMs }) => ({
      id,
      name,
      startedAt: writeMs(startsAtMs),
      endsAt: writeMs(endsAtMs),
    })),
    overload: overload && { ...overload },
  };
}

export const ActivityQuery = Type.Object({
  from: Described(Type.Optional(DateTime), "Start of the time range; defaults to 24 hours ago."),
  limit: Type.Integer({
    description: "Maximum number of entries to return.",
    minimum: 1,
    maximum: 200,
    default: 50,
  }),
});

export const ActivityList = Type.Array(
  Type.Object(
    {
      type: Described(
        OneOf(["state", "maintenance", "edit"]),
        "A state change of a check, the start or end of maintenance, or an edit.",
      ),
      at: Described(DateTime, "When it happened."),
      checkId: Described(OrNull(Guid), "The check; `null` if there is none or it was deleted."),
      name: Described(
        OrNull(Type.String()),
        "Name of the check, the window or the edited object; `null` if unknown.",
        "db-1.fra",
      ),
      what: Type.String({
        description: "A state; `started` or `ended`; or an action of the audit log.",
        examples: ["failing"],
      }),
      before: Described(
        OrNull(Type.String()),
        "The previous state; `null` if there is none.",
        "passing",
      ),
      actor: Described(OrNull(Type.String()), "Who did it; `null` if nobody.", "ada@example.com"),
      count: Type.Integer({
        description: "Number of objects that an edit changed; 1 for other activity.",
        examples: [1],
      }),
    },
    { title: "Activity" },
  ),
);

export const toWireActivity = (one: Activity) => ({ ...one, at: formatDateTime(one.at) });

export const TroubleGroupQuery = Type.Object({
  by: Type.Enum([...groupings], {
    type: "string",
    description: "What the checks are grouped by.",
    default: "cause",
  }),
});

const GroupedCheckSchema = Type.Object({
  checkId: Described(Guid, "The check's id."),
  name: Type.String({ description: "The check's name.", examples: ["db-1.fra"] }),
  status: Described(OneOf(["failing", "degraded"]), "Its state."),
  since: Described(DateTime, "Since when."),
  isAlerted: Type.Boolean({ description: "True if it has an open alert." }),
  isAcknowledged: Type.Boolean({ description: "True if its open alert is acknowledged." }),
});

export const TroubleGroupList = Type.Array(
  Type.Object(
    {
      key: Type.String({
        description: "Identifies the group; empty for checks without one.",
        examples: ["connection-failed ECONNREFUSED"],
      }),
      label: Described(
        OrNull(Type.String()),
        "The cause in a sentence, or the name of the group, tag or location; `null` for none.",
        "The connection was refused.",
      ),
      failing: Type.Integer({ description: "Number of failing checks.", examples: [54] }),
      degraded: Type.Integer({ description: "Number of degraded checks.", examples: [0] }),
      unacknowledged: Type.Integer({
        description: "Number of checks with an unacknowledged open alert.",
        examples: [54],
      }),
      since: Described(DateTime, "When the first problem of the group began."),
      checks: Type.Array(GroupedCheckSchema, { description: "The checks, newest problem first." }),
    },
    { title: "TroubleGroup" },
  ),
);

export function toWireTroubleGroup({ key, label, checks }: TroubleGroup) {
  const count = (status: "failing" | "degraded") =>
    checks.filter((check) => check.status === status).length;
  const firstMs = Math.min(...checks.map(({ since }) => since.getTime()));
  const open = checks.filter(({ isAlerted, isAcknowledged }) => isAlerted && !isAcknowledged);
  return {
    key,
    label,
    failing: count("failing"),
    degraded: count("degraded"),
    unacknowledged: open.length,
    since: formatDateTime(new Date(firstMs)),
    checks: checks.map(({ checkId, name, status, since, isAlerted, isAcknowledged }) => ({
      ...{ checkId, name, status, isAlerted, isAcknowledged },
      since: formatDateTime(since),
    })),
  };
}
