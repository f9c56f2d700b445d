import { writeMs } from "../../platform/text/figures.ts";
import { quote } from "../../platform/text/quote.ts";
import type { KindSpeech } from "../speech.ts";
import { proposal } from "./proposal.ts";

/** What the agent's tools show of heartbeats and their pings. */
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
  EARLY: "a ping came early",
  RECEIVED: "a ping came on time",
  GRACE: "a ping came late, within the grace",
  LATE: "a ping came after it was missed",
  FAILING: "no ping came in time, or the job failed",
};

function describeResult({ pingState, jobDurationMs }: ResultData): string {
  const what = states[pingState ?? ""] ?? "no data";
  return jobDurationMs === null ? what : `${what}, after ${writeMs(jobDurationMs)}`;
}

function describeRun(run: RunData): string[] {
  const { expectedAt, lastPingAt, exitCode, source, output } = run;
  const said = exitCode === null ? [] : [`the job told exit code ${exitCode}`];
  return [
    source === null ? "no ping came" : describeResult(run),
    ...said,
    ...(expectedAt === null ? [] : [`a ping was expected by ${expectedAt}`]),
    ...(lastPingAt === null ? [] : [`the one before came at ${lastPingAt}`]),
    ...(output === "" ? [] : [`the job sent: ${quote(output, 100)}`]),
  ];
}

/** How people speak of heartbeats. */
export const speech: KindSpeech<CheckData, ResultData, RunData, object> = {
  lexicon: { LATENCY: "", MEASURE: "", UNIT: "", PATTERN: "", SPREAD: "" },
  glossary: {
    failing:
      "Failing: no ping came in time, the job told that it failed, or it did not end in time.",
    degraded: "Degraded: the job took longer than its lower limit, but it did not fail.",
    percentiles: "P95: 95 of 100 jobs were at least as fast; P50 and P99 alike.",
    measure: "Duration: from the start that the job tells to its end.",
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
    "ping-missed":
      "The job did not run, did not get as far as its ping, or could not reach this service.",
    "job-not-ended": "The job hangs, was killed, or takes longer than the grace.",
    "job-failed": "The job ran and told that it failed: its own log says why.",
  },
  ownReasons: ["ping-missed", "job-not-ended"],
  describeFigures: () => "",
  describeChange: () => "",
  describeDifference: () => "",
  measure: null,
  spread: null,
  proposal,
};
