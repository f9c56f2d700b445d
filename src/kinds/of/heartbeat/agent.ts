import { Type } from "typebox";
import { OrNull } from "../../../platform/http/schema.ts";
import { quote } from "../../../platform/text/clip.ts";
import { writeMs } from "../../../platform/text/figures.ts";
import type {
  KindProposal,
  OwnAgent,
  OwnSpeech,
  ReadTarget,
  SentenceWords,
} from "../../kit/agent.ts";
import type { Run } from "../../kit/definition.ts";
import {
  beginning,
  type DataOf,
  field,
  figure,
  type ResultDataOf,
  type ToolFields,
  textOrNull,
} from "../../kit/tool-fields.ts";
import { buildDocument } from "./document.ts";
import { describeSchedule, type Unit } from "./expected-pings.ts";
import type { HeartbeatMeasurement } from "./measurement.ts";
import type { HeartbeatRequest, HeartbeatSettings } from "./request.ts";

interface Amount {
  readonly amount: number;
  readonly unit: Unit;
}

interface MentionedSettings {
  readonly period: Amount | null;
  readonly grace: Amount | null;
}

const fixed: readonly (readonly [RegExp, Amount])[] = [
  [/\b(?:daily|nightly|every night|each day|once a day)\b/, { amount: 1, unit: "days" }],
  [/\b(?:hourly|once an hour)\b/, { amount: 1, unit: "hours" }],
  [/\b(?:weekly|once a week|every week)\b/, { amount: 7, unit: "days" }],
];
const unitNames: readonly (readonly [RegExp, Unit])[] = [
  [/^s/, "seconds"],
  [/^m/, "minutes"],
  [/^h/, "hours"],
  [/^d/, "days"],
];

function toAmount(count: string | undefined, unit: string | undefined): Amount | null {
  const found = unitNames.find(([pattern]) => pattern.test(unit ?? ""));
  return found === undefined ? null : { amount: Number(count ?? 1), unit: found[1] };
}

function readSettings(line: string): MentionedSettings {
  const known = fixed.find(([pattern]) => pattern.test(line))?.[1];
  const every = /\bevery (?:(\d+) )?(seconds?|minutes?|mins?|hours?|days?)\b/.exec(line);
  const grace =
    /\bgrace (?:period )?(?:of )?(\d+) (seconds?|minutes?|mins?|hours?|days?)\b/.exec(line) ??
    /\b(\d+) (seconds?|minutes?|mins?|hours?|days?) (?:of )?(?:grace|late)\b/.exec(line);
  return {
    period: known ?? (every && toAmount(every[1], every[2])),
    grace: grace && toAmount(grace[1], grace[2]),
  };
}

const stopWords = new Set("every daily nightly hourly weekly with and from grace that".split(" "));

/** Reads the name of the job after "for", "of" or "from". A heartbeat check has no address. */
function readTargets({ words }: SentenceWords) {
  const start = words.findIndex((word) => /^(?:for|of|from)$/i.test(word));
  const rest = start < 0 ? [] : words.slice(start + 1);
  const end = rest.findIndex((word) => stopWords.has(word.toLowerCase()));
  const name = (end < 0 ? rest : rest.slice(0, end)).filter(
    (word) => !/^(?:the|my|our)$/i.test(word),
  );
  return { targets: [{ label: name.join(" ").slice(0, 200) || "Heartbeat" }], refused: [] };
}

const proposal: KindProposal<ReadTarget, MentionedSettings> = {
  claim: (line) => (/\bheartbeats?\b|\bcron ?jobs?\b|\bdead man/.test(line) ? 3 : 0),
  hasOwnSchedule: true,
  noun: "job",
  nouns: ["jobs", "heartbeats"],
  askForTargets: "Which job? Write for example: a heartbeat for the backup every day.",
  noTargetLeft: "There is no job left.",
  readTargets,
  readSettings,
  fitSettings: (mentioned, notes) => {
    if (mentioned.period === null) notes.push("No period was given: a ping is expected every day.");
    return mentioned;
  },
  buildBody: (_job, { period, grace }) => ({
    heartbeat: {
      period: period?.amount ?? 1,
      periodUnit: period?.unit ?? "days",
      ...(grace === null ? {} : { grace: grace.amount, graceUnit: grace.unit }),
    },
  }),
};

const checkFields = {
  schedule: field(Type.String({ description: "when pings are expected" }), ({ heartbeat }) =>
    describeSchedule(heartbeat),
  ),
} satisfies ToolFields<HeartbeatSettings>;

const resultFields = {
  pingState: textOrNull("EARLY, RECEIVED, GRACE, LATE or FAILING", ({ state }) => state),
  jobDurationMs: figure("from the start of the job to its end", ({ durationMs }) => durationMs),
} satisfies ToolFields<HeartbeatMeasurement>;

const runFields = {
  schedule: field(
    Type.String({ description: "when pings were expected" }),
    (run) => buildDocument(run).schedule,
  ),
  expectedAt: textOrNull("when a ping was expected", (run) => buildDocument(run).expectedAt),
  lastPingAt: textOrNull("time of the previous ping", (run) => buildDocument(run).lastPingAt),
  exitCode: field(
    OrNull(Type.Integer({ description: "the exit code that the job reported" })),
    (run) => buildDocument(run).exitCode,
  ),
  source: textOrNull("the source address of the ping", (run) => buildDocument(run).source),
  output: beginning(
    "the beginning of what the job sent with its ping",
    (run) => buildDocument(run).body,
  ),
} satisfies ToolFields<Run<HeartbeatRequest, HeartbeatMeasurement>>;

type ResultData = ResultDataOf<typeof resultFields>;
type RunData = ResultData & DataOf<typeof runFields>;

const states: Readonly<Record<string, string>> = {
  EARLY: "a ping arrived early",
  RECEIVED: "a ping arrived on time",
  GRACE: "a ping arrived late, within the grace period",
  LATE: "a ping arrived after it was reported as missing",
  FAILING: "no ping arrived in time, or the job failed",
};

function describeResult({ pingState, jobDurationMs }: ResultData): string {
  const what = states[pingState ?? ""] ?? "no data";
  return jobDurationMs === null ? what : `${what}, after ${writeMs(jobDurationMs)}`;
}

function describeRun(run: RunData): string[] {
  const { expectedAt, lastPingAt, exitCode, source, output } = run;
  const exit = exitCode === null ? [] : [`the job reported exit code ${exitCode}`];
  return [
    source === null ? "no ping arrived" : describeResult(run),
    ...exit,
    ...(expectedAt === null ? [] : [`a ping was expected by ${expectedAt}`]),
    ...(lastPingAt === null ? [] : [`the previous ping arrived at ${lastPingAt}`]),
    ...(output === "" ? [] : [`the job sent: ${quote(output, 100)}`]),
  ];
}

const speech: OwnSpeech<DataOf<typeof checkFields>, ResultData, RunData> = {
  describeTarget: ({ schedule }) => `expects a ping ${schedule}`,
  describeSize: () => "one ping each time",
  describeResult,
  describeRun,
  describeDestination: ({ source }) => (source === null ? "" : ` by ${quote(source)}`),
  culprits: {
    "ping-missed": "The job did not run, ended before its ping, or could not reach this service.",
    "job-not-ended": "The job hangs, was killed, or takes longer than the grace period.",
    "job-failed": "The job ran and reported a failure: check the job's log.",
  },
  ownReasons: ["ping-missed", "job-not-ended"],
  proposal,
};

/** Defines what the agent shows of heartbeat checks and which words refer to them. */
export const agent: OwnAgent<HeartbeatSettings, HeartbeatRequest, HeartbeatMeasurement> = {
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
  hints: {
    run: "with the source, expected time and body of a ping",
    figures: "job duration",
    samples: "durations of jobs",
    creation: "",
  },
  checkFields,
  resultFields,
  runFields,
  reasonFields: {
    exitCode: Type.Optional(OrNull(Type.Integer())),
    expectedAt: Type.Optional(Type.String()),
    silentMs: Type.Optional(OrNull(Type.Number())),
  },
  speech,
};
