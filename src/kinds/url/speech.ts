import { writeChange, writeMs } from "../../platform/text/figures.ts";
import { quote } from "../../platform/text/quote.ts";
import type { KindSpeech } from "../speech.ts";
import { proposal } from "./proposal.ts";

/** What the agent's tools return for URL checks and their runs. */
interface CheckData {
  /** The URL; every check has its target in this field. */
  readonly hostname: string;
  readonly ipFamily: string;
  readonly followRedirects: boolean;
}

interface ResultData {
  readonly statusCode: number | null;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
}

interface RunData extends ResultData {
  readonly url: string;
  readonly resolvedIp: string | null;
  readonly statusText: string;
  readonly redirectCount: number;
  readonly certificateValidTo: string | null;
  readonly body: string | null;
  readonly trouble: Readonly<Record<string, unknown>> | null;
}

interface FigureData {
  readonly firstByteMs: number | null;
}

function describeResult({ statusCode, firstByteMs }: ResultData): string {
  if (statusCode === null) return "no answer";
  return `status ${statusCode}, first byte after ${writeMs(firstByteMs)}`;
}

function describeRun(run: RunData): string[] {
  const { trouble, redirectCount, certificateValidTo, body, url } = run;
  if (trouble !== null) {
    const message = trouble.message ?? trouble.code ?? trouble.kind;
    return [`nothing was measured: ${quote(String(message ?? "unknown reason"), 200)}`];
  }
  const redirects = redirectCount === 1 ? "one redirect" : `${redirectCount} redirects`;
  return [
    describeResult(run),
    ...(redirectCount === 0 ? [] : [`${redirects} led to ${quote(url, 200)}`]),
    ...(certificateValidTo === null
      ? []
      : [`its certificate is valid until ${certificateValidTo.slice(0, 10)}`]),
    ...(body === null || body === "" ? [] : [`it sent ${quote(body, 100)}`]),
  ];
}

/** Phrases and rules for URL checks. */
export const speech: KindSpeech<CheckData, ResultData, RunData, FigureData> = {
  lexicon: { LATENCY: "", MEASURE: "", UNIT: "", PATTERN: "", SPREAD: "" },
  glossary: {
    failing:
      "Failing: the latest run got no complete response or an unexpected status code, or exceeded its time limit.",
    degraded: "Degraded: the latest run was slower than its degraded limit, but did not fail.",
    percentiles: "P95: 95 of 100 requests were at least as fast; P50 and P99 alike.",
    measure: "Response time: from the start of name resolution to the last byte of the response.",
  },
  examples: [],
  target: ({ hostname }) => hostname,
  describeTarget: ({ hostname, ipFamily }) => `requests ${quote(hostname)} over ${ipFamily}`,
  describeSize: ({ followRedirects }) =>
    followRedirects ? "one request and its redirects a run" : "one request a run",
  /** The response time limits are described for every check already. */
  describeLimits: () => [],
  describeResult,
  describeRun,
  describeDestination: ({ resolvedIp }) => (resolvedIp === null ? "" : ` to ${resolvedIp}`),
  findEvidence: () => null,
  culprits: {
    "name-not-resolved": "Name resolution seems to be the cause: no request was sent.",
    "connection-refused":
      "The host responds but refuses the connection: the service is not running, or a firewall rejects it.",
    "address-denied": "The probe's own rules forbid that address.",
    "certificate-rejected": "The host responds, but browsers would not trust its certificate.",
    "error-status": "The server responds, so the network works: check the server's logs.",
  },
  ownReasons: ["body-incomplete"],
  describeFigures: ({ firstByteMs }) =>
    firstByteMs === null ? "" : `answering ${writeMs(firstByteMs)}`,
  describeChange: (before, now) =>
    before.firstByteMs === null || now.firstByteMs === null
      ? ""
      : `answering ${writeMs(before.firstByteMs)} → ${writeMs(now.firstByteMs)}`,
  describeDifference: (change) => {
    const { firstByteMs } = change as FigureData;
    return firstByteMs === null ? "" : `answering ${writeChange(firstByteMs, "ms")}`;
  },
  measure: null,
  spread: null,
  proposal,
};
