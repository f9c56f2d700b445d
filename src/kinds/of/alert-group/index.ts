import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import { clipText } from "../../../platform/text/clip.ts";
import { createKind } from "../../kit/create-kind.ts";
import { type Signal, signalLimits } from "../../kit/signals.ts";
import { textOrNull } from "../../kit/tool-fields.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { type AlertGroupReason, explain, judge } from "./judge.ts";
import {
  type AlertGroupRequest,
  type AlertGroupRun,
  decode,
  encode,
  fields,
  isAlertGroupMeasurement,
} from "./measurement.ts";

interface AlertGroupSettings extends VerdictSettings {
  readonly alertGroup: { readonly sourceId: string | null; readonly groupKey: string };
}

const Body = Type.Object(
  {
    groupKey: Type.String({
      description: "The group key of Alertmanager, which identifies the group.",
      minLength: 1,
      maxLength: signalLimits.keyLength,
      examples: ['{}:{alertname="HighLatency"}'],
    }),
    sourceId: Type.Optional(
      Described(OrNull(Guid), "The alert source; `null` if the check receives nothing.", null),
    ),
  },
  { description: "The alert group that the check follows." },
);

const DocumentSchema = Type.Object(
  {
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, OrNull(field)])),
    groupKey: Type.String({
      description: "The group key.",
      examples: ['{}:{alertname="HighLatency"}'],
    }),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no result; `null` if there was one.",
      null,
    ),
  },
  { description: "A notification about an alert group. All other fields are `null` without one." },
);

const nothing = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));

/**
 * Kind of checks that represent a group of alerts from an external monitor, such as an
 * Alertmanager. Each notification that the monitor sends about the group becomes a run of the
 * check.
 */
export const alertGroup = createKind<
  AlertGroupSettings,
  AlertGroupRequest,
  Signal,
  AlertGroupReason
>({
  type: "ALERT_GROUP",
  signals: {
    toFields: (target) => ({ alertGroup: target }),
    readTarget: ({ alertGroup: { sourceId, groupKey } }) =>
      sourceId === null ? null : { sourceId, groupKey },
    toMeasurement: (signal) => signal,
  },
  fields: { target: { create: { alertGroup: Body } } },
  responseTimeLimits: { degradedMs: null, failingMs: null, highestMs: 300_000, areShown: false },
  hiddenFields: [
    "doubleCheck",
    "shouldFail",
    "locations",
    "runtimeId",
    "retryStrategy",
    "runParallel",
    "frequency",
    "frequencyOffset",
  ],
  mergeSettings: (before, change) => ({
    alertGroup: {
      groupKey: "",
      sourceId: null,
      ...before?.alertGroup,
      ...(change as Partial<AlertGroupSettings>).alertGroup,
    },
  }),
  target: ({ alertGroup: { groupKey } }) => groupKey,
  deadlineMs: () => 60_000,
  toRequest: ({ alertGroup: { groupKey } }) => ({ groupKey }),
  isMeasurement: isAlertGroupMeasurement,
  judge,
  figures: () => ({ responseMs: null, samples: [], counters: [], parts: [] }),
  encode,
  decode,
  figureBytes: 1,
  // A notification contains no figures for statistics.
  readFigures: () => {},
  words: {
    aCheck: "an alert group check",
    aRun: "a notification",
    verb: "follows",
    exactFigures: "counts of notifications",
  },
  operations: {
    create:
      "Requires `name` and `alertGroup.groupKey`. An alert source creates such checks when it " +
      "receives the first notification of a group. A check that was created before with the same " +
      "`alertGroup` receives the group's notifications.",
    example: { alertGroup: { groupKey: '{}:{alertname="HighLatency"}' } },
  },
  DocumentSchema,
  document: ({ request, outcome }: AlertGroupRun) => ({
    ...nothing,
    ...(outcome.kind === "measured" && outcome.measurement),
    groupKey: request.groupKey,
    error: toTrouble(outcome),
  }),
  explain,
  describeLimits: () =>
    "is failing while alerts fire, and degraded if their severity is warning or less",
  listFacts: (measurement) => [
    {
      name: "firingAlerts",
      label: "Alerts that fire",
      value: measurement?.firingCount ?? null,
      unit: "",
    },
  ],
  agent: {
    names: ["alert group", "alertmanager group"],
    checkFields: {
      groupKey: textOrNull("the key of the alert group", ({ alertGroup: { groupKey } }) =>
        clipText(groupKey, 500),
      ),
    },
  },
});
