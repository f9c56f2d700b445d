import type { Kind } from "../kind.ts";
import { noTexts } from "../texts.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { explain, type HeartbeatReason, judge } from "./judge.ts";
import {
  counters,
  type HeartbeatMeasurement,
  isHeartbeatMeasurement,
  listFigures,
  parts,
  samples,
} from "./measurement.ts";
import {
  fields,
  findFaults,
  type HeartbeatRequest,
  type HeartbeatSettings,
  mergeSettings,
  showSettings,
  toRequest,
} from "./request.ts";
import {
  describeSchedule,
  earlyMs,
  expectAfterMiss,
  expectAfterPing,
  graceMsOf,
  scheduleKey,
  usualPeriodMs,
} from "./schedule.ts";
import { speech } from "./speech.ts";
import { tools } from "./tool-fields.ts";

/** A job reports that it has run; a missing report is a failure. */
export const heartbeat: Kind<
  HeartbeatSettings,
  HeartbeatRequest,
  HeartbeatMeasurement,
  HeartbeatReason
> = {
  type: "HEARTBEAT",
  path: "heartbeat",
  analyticsPath: "heartbeat-checks",
  words: {
    aCheck: "a heartbeat check",
    aRun: "a heartbeat",
    verb: "expects",
    responseTime: "duration of the job",
    exactFigures: "counts of pings",
    names: ["heartbeat", "cron job", "job"],
    fieldHints: {
      heartbeat: "When pings are expected.",
      "heartbeat.period": "How often a ping is expected, in periodUnit: 30 seconds to 365 days.",
      "heartbeat.periodUnit": "seconds, minutes, hours or days.",
      "heartbeat.grace": "Grace period in graceUnit.",
      "heartbeat.graceUnit": "seconds, minutes, hours or days.",
      "heartbeat.cron": "A cron expression of five fields, instead of the period.",
      "heartbeat.timezone": "The time zone of cron; default UTC.",
      "heartbeat.pingToken": "Omit it: the service generates one.",
    },
  },
  operations: {
    name: "Heartbeat",
    create:
      "Requires `name`, and in `heartbeat` either `period` with `grace` or `cron`. The response " +
      "contains the ping URL. No ping is expected before the first one.",
    update:
      "An omitted field keeps its value. A new schedule applies from the last ping, and a ping " +
      "never becomes overdue before the grace period has passed again.",
    example: {
      heartbeat: { period: 1, periodUnit: "days", grace: 30, graceUnit: "minutes" },
    },
  },
  speech,
  isOrdered: false,
  pings: {
    token: ({ heartbeat: { pingToken } }) => pingToken,
    tokenField: "heartbeat.pingToken",
    scheduleKey: ({ heartbeat: schedule }) => scheduleKey(schedule),
    usualPeriodMs: ({ heartbeat: schedule }) => usualPeriodMs(schedule),
    graceMs: ({ heartbeat: schedule }) => graceMsOf(schedule),
    earlyMs: ({ heartbeat: schedule }) => earlyMs(schedule),
    expectAfterPing: ({ heartbeat: schedule }, pingMs) => expectAfterPing(schedule, pingMs),
    expectAfterMiss: ({ heartbeat: schedule }, missedMs, afterMs) =>
      expectAfterMiss(schedule, missedMs, afterMs),
    toMeasurement: (event) => event,
    toEvent: (measurement) => measurement,
  },
  fields,
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
  showSettings,
  ownFieldNames: ["heartbeatCheckResult", "pingToken", "pingUrl", "periodUnit", "graceUnit"],
  mergeSettings,
  findFaults,
  target: ({ heartbeat: schedule }) => `a ping ${describeSchedule(schedule)}`,
  deadlineMs: ({ heartbeat: schedule }) => usualPeriodMs(schedule) + graceMsOf(schedule),
  toRequest,
  texts: noTexts,
  assertionSources: {},
  listAssertions: () => [],
  limitFields: {},
  limits: () => ({}),
  describeLimits: () => "is failing when no ping arrives in time or the job reports a failure",
  isMeasurement: isHeartbeatMeasurement,
  judge,
  explain,
  counters,
  parts,
  samples,
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  documentField: "heartbeatCheckResult",
  DocumentSchema,
  document: buildDocument,
  explainingFields: {},
  explainingFigures: () => ({}),
  listFacts: (measurement) => [
    {
      name: "jobDurationMs",
      label: "Duration of the job",
      value: measurement?.durationMs ?? null,
      unit: "ms",
    },
  ],
  listExamples: () => [],
  tools,
};
