import { writeMs } from "../../platform/text/figures.ts";
import { quote } from "../../platform/text/quote.ts";
import type { KindSpeech } from "../speech.ts";
import { proposal } from "./proposal.ts";

/** What the agent's tools return for heartbeat checks and their pings. */
interface CheckData {
  readonly hostname: string;
  readonly schedule: string;
}

interface ResultData {
  readonly pingState: string | null;
  readonly jobDurationMs: number | null;
}

interface RunData extends ResultData {
  readonly expectedAt: string | null;
  readonly lastPingAt: string | null;
  readonly exitCode: number | null;
  readonly source: string | null;
  readonly output: string;
}

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

/** Phrases and rules for heartbeat checks. */
export const speech: KindSpeech<CheckData, ResultData, RunData, object> = {
  lexicon: { LATENCY: "", MEASURE: "", UNIT: "", PATTERN: "", SPREAD: "" },
  glossary: {
    failing:
      "Failing: no ping arrived in time, the job reported a failure, or it did not end in time.",
    degraded: "Degraded: the job took longer than its degraded limit, but did not fail.",
    percentiles: "P95: 95 of 100 jobs were at least as fast; P50 and P99 alike.",
    measure: "Duration: from the reported start of the job to its end.",
  },
  examples: [],
  target: ({ hostname }) => hostname,
  describeTarget: ({ schedule }) => `expects a ping ${schedule}`,
  describeSize: () => "one ping each time",
  describeLimits: () => [],
  describeResult,
  describeRun,
  describeDestination: ({ source }) => (source === null ? "" : ` by ${quote(source)}`),
  findEvidence: () => null,
  culprits: {
    "ping-missed": "The job did not run, ended before its ping, or could not reach this service.",
    "job-not-ended": "The job hangs, was killed, or takes longer than the grace period.",
    "job-failed": "The job ran and reported a failure: check the job's log.",
  },
  ownReasons: ["ping-missed", "job-not-ended"],
  describeFigures: () => "",
  describeChange: () => "",
  describeDifference: () => "",
  measure: null,
  spread: null,
  proposal,
};
