import { writeMs } from "../../platform/text/figures.ts";
import { quote } from "../../platform/text/quote.ts";
import type { KindSpeech } from "../speech.ts";
import { proposal } from "./proposal.ts";

/** What the agent's tools return for DNS checks and their runs. */
interface CheckData {
  /** The queried name, with its type. */
  readonly hostname: string;
  readonly nameServer: string | null;
  readonly protocol: string;
}

interface ResultData {
  readonly udpMs: number | null;
  readonly tcpMs: number | null;
  readonly responseCode: string | null;
}

interface RunData extends ResultData {
  readonly resolvedIp: string | null;
  readonly answers: readonly string[];
  readonly ignoredAnswers: number;
  readonly trouble: Readonly<Record<string, unknown>> | null;
}

function describeResult({ udpMs, tcpMs, responseCode }: ResultData): string {
  if (responseCode === null) return "no answer";
  const ms = (udpMs ?? 0) + (tcpMs ?? 0);
  return `answered ${responseCode} in ${writeMs(ms)}${tcpMs === null ? "" : " by TCP"}`;
}

const maxAnswersShown = 5;

function describeAnswers(answers: readonly string[]): string {
  if (answers.length === 0) return "the answer has no records";
  const shown = answers.slice(0, maxAnswersShown).map((answer) => quote(answer, 100));
  const more = answers.length - shown.length;
  return `it answered ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function describeRun(run: RunData): string[] {
  const { trouble, answers, ignoredAnswers } = run;
  const ignored = ignoredAnswers === 0 ? [] : [`${ignoredAnswers} messages answered other queries`];
  if (trouble !== null) {
    const message = trouble.message ?? trouble.code ?? trouble.kind;
    return [`nothing was measured: ${quote(String(message ?? "unknown reason"), 200)}`, ...ignored];
  }
  return [describeResult(run), describeAnswers(answers), ...ignored];
}

/** Phrases and rules for DNS checks. */
export const speech: KindSpeech<CheckData, ResultData, RunData> = {
  lexicon: { LATENCY: "", MEASURE: "", UNIT: "", PATTERN: "", SPREAD: "" },
  glossary: {
    failing:
      "Failing: the latest run got no answer, a response code other than NOERROR, exceeded its time limit or failed an assertion.",
    degraded: "Degraded: the latest run was slower than its degraded limit, but did not fail.",
    percentiles: "P95: 95 of 100 queries were answered at least as fast; P50 and P99 alike.",
    measure: "Response time: from the first query to the complete answer.",
  },
  examples: [],
  target: ({ hostname }) => hostname,
  describeTarget: ({ hostname, nameServer, protocol }) =>
    `queries ${nameServer === null ? "the system's DNS server" : quote(nameServer)} for ${quote(hostname)} by ${protocol}`,
  describeSize: () => "one query a run",
  /** The response time limits are described for every check already. */
  describeLimits: () => [],
  describeResult,
  describeRun,
  describeDestination: ({ resolvedIp }) => (resolvedIp === null ? "" : ` to ${resolvedIp}`),
  findEvidence: () => null,
  culprits: {
    "name-server-not-resolved": "The name of the DNS server itself does not resolve.",
    "name-server-refused": "The host responds, but no DNS server is listening on that port.",
    "address-denied": "The probe's own rules forbid that address.",
    "answer-truncated":
      "The DNS server answers over UDP, but TCP is blocked or broken, so long answers cannot be fetched.",
  },
  ownReasons: ["response-code-not-noerror", "record-broken"],
  describeFigures: () => "",
  describeChange: () => "",
  describeDifference: () => "",
  measure: null,
  spread: null,
  proposal,
};
