import { writeChange, writeMs } from "../../platform/text/figures.ts";
import { quote } from "../../platform/text/quote.ts";
import type { KindSpeech } from "../speech.ts";

/** What the agent's tools return for API checks and their runs. */
interface CheckData {
  /** The URL of the check. */
  readonly hostname: string;
  readonly method: string;
  readonly assertionCount: number;
}

interface ResultData {
  readonly status: number | null;
  readonly firstByteMs: number | null;
}

interface RunData extends ResultData {
  readonly resolvedIp: string | null;
  readonly redirects: number;
  readonly bytesReceived: number;
  readonly received: string;
  readonly failedAssertions: readonly string[];
  readonly trouble: Readonly<Record<string, unknown>> | null;
}

interface FigureData {
  readonly firstByteMs: number | null;
}

function describeResult({ status, firstByteMs }: ResultData): string {
  if (status === null) return "no answer";
  return `status ${status}, first byte after ${writeMs(firstByteMs)}`;
}

function describeRun(run: RunData): string[] {
  const { trouble, failedAssertions, received, redirects } = run;
  if (trouble !== null) {
    const message = trouble.message ?? trouble.code ?? trouble.kind;
    return [`there was no response: ${quote(String(message ?? "unknown reason"), 200)}`];
  }
  const followed =
    redirects === 1 ? "it followed 1 redirect" : `it followed ${redirects} redirects`;
  return [
    describeResult(run),
    ...failedAssertions.map((message) => `an assertion failed: ${quote(message, 200)}`),
    ...(redirects === 0 ? [] : [followed]),
    ...(received === "" ? [] : [`the body starts with ${quote(received, 100)}`]),
  ];
}

/** Phrases and rules for API checks. */
export const speech: KindSpeech<CheckData, ResultData, RunData, FigureData> = {
  lexicon: { LATENCY: "", MEASURE: "", UNIT: "", PATTERN: "", SPREAD: "" },
  glossary: {
    failing:
      "Failing: the latest run got no complete response, got a status code of 400 or above, exceeded its time limit or failed an assertion.",
    degraded: "Degraded: the latest run was slower than its degraded limit, but did not fail.",
    percentiles: "P95: 95 of 100 requests were at least as fast; P50 and P99 alike.",
    measure: "Response time: from the start of name resolution to the last byte of the response.",
  },
  examples: [],
  target: ({ hostname }) => hostname,
  describeTarget: ({ method, hostname }) => `sends ${method} to ${quote(hostname)}`,
  describeSize: ({ assertionCount }) =>
    assertionCount === 1 ? "one assertion a run" : `${assertionCount} assertions a run`,
  /** The response time limits are described for every check already. */
  describeLimits: () => [],
  describeResult,
  describeRun,
  describeDestination: ({ resolvedIp }) => (resolvedIp === null ? "" : ` to ${resolvedIp}`),
  findEvidence: () => null,
  culprits: {
    "name-not-resolved": "Name resolution seems to be the cause: no connection was attempted.",
    "connection-refused":
      "The host responds but refuses the connection: the service is not running, or a firewall rejects it.",
    "certificate-rejected":
      "The server's certificate is the cause: clients that verify it abort the connection.",
    "error-status": "The server responds and reports the error itself.",
    "address-denied": "The probe's own rules forbid that address.",
  },
  ownReasons: [],
  describeFigures: ({ firstByteMs }) =>
    firstByteMs === null ? "" : `first byte after ${writeMs(firstByteMs)}`,
  describeChange: (before, now) =>
    before.firstByteMs === null || now.firstByteMs === null
      ? ""
      : `first byte ${writeMs(before.firstByteMs)} → ${writeMs(now.firstByteMs)}`,
  describeDifference: (change) => {
    const { firstByteMs } = change as FigureData;
    return firstByteMs === null ? "" : `first byte ${writeChange(firstByteMs, "ms")}`;
  },
  measure: null,
  spread: null,
  proposal: null,
};
