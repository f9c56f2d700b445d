import { Type } from "typebox";
import { checkTypes } from "../../kinds/index.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import { unnotifiedReasons } from "../alerting/index.ts";
import type { Overview, TroubledCheck } from "./actions.ts";
import type { Activity } from "./activity.ts";

export const OverviewQuery = Type.Object({
  limit: Type.Integer({
    description: "How many checks that are not passing to show.",
    minimum: 1,
    maximum: 50,
    default: 30,
  }),
});

const count = (what: string, example: number) =>
  Type.Integer({ description: `How many checks ${what}.`, examples: [example] });
const verdicts = OneOf(["passing", "degraded", "failing", "unknown"]);

const Told = Type.Object({
  alertChannelId: Described(OrNull(Type.Integer()), "The channel; null: it was deleted.", 7),
  type: Type.String({ description: "The kind of channel.", examples: ["EMAIL"] }),
  recipient: Type.String({
    description: "Whom it reaches, without secrets.",
    examples: ["ops@example.com"],
  }),
  status: Described(
    OneOf(["PENDING", "SENT", "DEAD"]),
    "SENT: the other side took it; DEAD: no further attempts.",
  ),
  sentAt: Described(OrNull(DateTime), "When the other side took it; null: not yet."),
  reason: Described(OrNull(Type.String()), "Why the last attempt failed; null: it did not.", null),
});

const OpenAlert = Type.Object(
  {
    alertId: Described(
      OrNull(Guid),
      "The first alert of it, whose story can be read; null: it is no longer stored.",
    ),
    alertNumber: Type.Integer({ description: "Counts the alerts of the check.", examples: [3] }),
    alertType: Type.String({ description: "What it said.", examples: ["ALERT_FAILURE"] }),
    openedAt: Described(DateTime, "When it was sent."),
    acknowledgedAt: Described(
      OrNull(DateTime),
      "When it was acknowledged; null: nobody has.",
      null,
    ),
    acknowledgedBy: Described(
      OrNull(Type.String()),
      "Who acknowledged it; null: nobody has, or it is not known.",
      "ada@example.com",
    ),
    told: Type.Array(Told, { description: "The newest message to each receiver, at most ten." }),
  },
  { description: "The open alert; null: nobody was alerted of this." },
);

const UntoldSchema = Type.Object(
  {
    reason: Described(OneOf(unnotifiedReasons), "The reason to remove first.", "not-connected"),
    explanation: Type.String({
      description: "The same in one sentence, with the figures of the rules.",
      examples: ["No channel is connected to this check."],
    }),
    alertChannelId: Described(
      OrNull(Type.Integer()),
      "With `not-wanted`: a channel that does not receive such alerts; null otherwise.",
      null,
    ),
    parentCheckId: Described(
      OrNull(Guid),
      "With `held-by-parent`: the failing check that it depends on; null otherwise.",
      null,
    ),
  },
  { title: "UntoldReason", description: "Why nobody was notified; null: somebody was." },
);

const Wrong = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "The check's name.", examples: ["db-1.fra"] }),
    checkType: Type.String({ description: "Its kind.", examples: checkTypes.slice(0, 1) }),
    target: Described(OrNull(Type.String()), "What is watched; null: not known.", "192.0.2.7"),
    groupName: Described(OrNull(Type.String()), "Its group; null: none.", "Frankfurt"),
    tags: Type.Array(Type.String(), { description: "Its tags and those of its group." }),
    muted: Type.Boolean({ description: "True: its alerts are held." }),
    status: Described(OneOf(["failing", "degraded"]), "How it is doing."),
    since: Described(DateTime, "Since when."),
    explanation: Described(
      OrNull(Type.String()),
      "Why, in a sentence; null: the result that says so is gone.",
      "60 % of the packets were lost, above the limit of 20 %.",
    ),
    locations: Type.Array(
      Type.Object({
        location: Type.String({ description: "The location.", examples: ["eu-central-1"] }),
        verdict: Described(verdicts, "What its newest run says."),
      }),
      { description: "What each location says." },
    ),
    lastHour: Type.Array(
      Described(
        OrNull(verdicts),
        "The worst verdict of five minutes; null: no run was due, or none came.",
        "passing",
      ),
      {
        description:
          "Twelve times five minutes, the oldest first. A verdict holds until the next run is due.",
      },
    ),
    alert: OrNull(OpenAlert),
    heldReason: Described(
      OrNull(Type.String()),
      "Why alerts are held, such as muted, in-maintenance or held-by-parent; null: they are not.",
      null,
    ),
    untold: OrNull(UntoldSchema),
  },
  { title: "CheckInTrouble" },
);

export const OverviewSchema = Type.Object(
  {
    asOf: Described(DateTime, "The moment it is about."),
    counts: Type.Object(
      {
        failing: count("are failing", 2),
        degraded: count("are degraded", 1),
        unknown: count("have no data", 3),
        passing: count("are passing", 412),
        inactive: count("are switched off", 0),
      },
      { description: "All checks by their state." },
    ),
    checks: Type.Array(Wrong, {
      description: "Failing before degraded; what broke last comes first.",
    }),
    incidents: Type.Array(
      Type.Object({
        id: Described(Guid, "The incident's id."),
        name: Type.String({ description: "Its name.", examples: ["Slow checkout"] }),
        severity: Type.String({ description: "How bad it is.", examples: ["MAJOR"] }),
        status: Type.String({ description: "What was said last.", examples: ["INVESTIGATING"] }),
        startedAt: Described(DateTime, "When it began."),
      }),
      { description: "Incidents that are not resolved, at most twenty." },
    ),
    maintenance: Type.Array(
      Type.Object({
        id: Type.Integer({ description: "The window's id.", examples: [4] }),
        name: Type.String({ description: "Its name.", examples: ["Weekly reboot"] }),
        startedAt: Described(DateTime, "When it began."),
        endsAt: Described(DateTime, "When it ends."),
      }),
      { description: "Maintenance that is under way, at most twenty." },
    ),
    overload: Described(
      OrNull(
        Type.Object({
          skippedPercent: Type.Integer({
            description: "Percent of the runs due in the last minute that were skipped.",
            minimum: 1,
            maximum: 100,
            examples: [34],
          }),
          message: Type.String({
            description: "What is lost, in words.",
            examples: ["overloaded: 34 % of runs are skipped"],
          }),
          advice: Type.String({
            description: "What the operator can do.",
            examples: ["Give the server more CPU."],
          }),
        }),
      ),
      "Runs that the servers have no time for; null: every run is made.",
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
  from: Described(Type.Optional(DateTime), "From this moment on; by default 24 hours ago."),
  limit: Type.Integer({
    description: "How many entries to show.",
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
        "A check changed its state, maintenance began or ended, or somebody edited something.",
      ),
      at: Described(DateTime, "When it happened."),
      checkId: Described(OrNull(Guid), "The check; null: it is about none, or it is gone."),
      name: Described(
        OrNull(Type.String()),
        "The name of the check, the window or the thing; null: not known.",
        "db-1.fra",
      ),
      what: Type.String({
        description: "A state; `started` or `ended`; or an action of the audit log.",
        examples: ["failing"],
      }),
      before: Described(OrNull(Type.String()), "The state before; null: none.", "passing"),
      actor: Described(OrNull(Type.String()), "Who did it; null: nobody.", "ada@example.com"),
    },
    { title: "Activity" },
  ),
);

export const toWireActivity = (one: Activity) => ({ ...one, at: formatDateTime(one.at) });
