import { createKind } from "../../kit/create-kind.ts";
import { agent } from "./agent.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import {
  describeSchedule,
  earlyMs,
  expectAfterMiss,
  expectAfterPing,
  graceMsOf,
  scheduleKey,
  usualPeriodMs,
} from "./expected-pings.ts";
import { explain, type HeartbeatReason, judge } from "./judge.ts";
import {
  type HeartbeatMeasurement,
  isHeartbeatMeasurement,
  listFigures,
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

/**
 * Kind of checks that wait for pings. A job sends a ping when it has run, and a missing ping is a
 * failure.
 */
export const heartbeat = createKind<
  HeartbeatSettings,
  HeartbeatRequest,
  HeartbeatMeasurement,
  HeartbeatReason
>({
  type: "HEARTBEAT",
  analyticsPath: "heartbeat-checks",
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
  ownFieldNames: ["pingToken", "pingUrl", "periodUnit", "graceUnit"],
  mergeSettings,
  findFaults,
  target: ({ heartbeat: schedule }) => `a ping ${describeSchedule(schedule)}`,
  deadlineMs: ({ heartbeat: schedule }) => usualPeriodMs(schedule) + graceMsOf(schedule),
  toRequest,
  isMeasurement: isHeartbeatMeasurement,
  judge,
  samples,
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  words: {
    aCheck: "a heartbeat check",
    aRun: "a heartbeat",
    verb: "expects",
    responseTime: "duration of the job",
    exactFigures: "counts of pings",
  },
  operations: {
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
  DocumentSchema,
  document: buildDocument,
  explain,
  describeLimits: () => "is failing when no ping arrives in time or the job reports a failure",
  listFacts: (measurement) => [
    {
      name: "jobDurationMs",
      label: "Duration of the job",
      value: measurement?.durationMs ?? null,
      unit: "ms",
    },
  ],
  agent,
});
