import { writeChange, writeMs } from "../../platform/text/figures.ts";
import { quote } from "../../platform/text/quote.ts";
import type { KindSpeech } from "../speech.ts";
import { proposal } from "./proposal.ts";
import { writeEndpoint } from "./request.ts";

/** What the agent's tools return for TCP checks and their runs. */
interface CheckData {
  /** Host and port. */
  readonly hostname: string;
  readonly ipFamily: string;
  readonly sendsData: boolean;
}

interface ResultData {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly dataMs: number | null;
}

interface RunData extends ResultData {
  readonly port: number;
  readonly resolvedIp: string | null;
  readonly answer: string | null;
  readonly bytesReceived: number;
  readonly received: string;
  readonly trouble: Readonly<Record<string, unknown>> | null;
}

interface FigureData {
  readonly connectMs: number | null;
}

function describeResult({ connectMs, dataMs }: ResultData): string {
  if (connectMs === null) return "no connection";
  const answered = dataMs === null ? "" : `, answered after ${writeMs(dataMs)}`;
  return `connected in ${writeMs(connectMs)}${answered}`;
}

const ends: Readonly<Record<string, string>> = {
  "timed-out": "the server did not respond in time",
  closed: "the server closed the connection before it sent anything",
  reset: "the server reset the connection before it sent anything",
};

function describeRun(run: RunData): string[] {
  const { trouble, answer, received, bytesReceived } = run;
  if (trouble !== null) {
    const message = trouble.message ?? trouble.code ?? trouble.kind;
    return [`nothing was measured: ${quote(String(message ?? "unknown reason"), 200)}`];
  }
  const end = ends[answer ?? ""];
  return [
    describeResult(run),
    ...(end === undefined ? [] : [end]),
    ...(bytesReceived === 0 ? [] : [`it sent ${bytesReceived} bytes: ${quote(received, 100)}`]),
  ];
}

/** Phrases and rules for TCP checks. */
export const speech: KindSpeech<CheckData, ResultData, RunData, FigureData> = {
  lexicon: { LATENCY: "", MEASURE: "", UNIT: "", PATTERN: "", SPREAD: "" },
  glossary: {
    failing:
      "Failing: the latest run did not connect, got no response, exceeded its time limit or failed an assertion.",
    degraded: "Degraded: the latest run was slower than its degraded limit, but did not fail.",
    percentiles: "P95: 95 of 100 connections were at least as fast; P50 and P99 alike.",
    measure: "Response time: from the start of name resolution to the last byte of the response.",
  },
  examples: [],
  target: ({ hostname }) => hostname,
  describeTarget: ({ hostname, ipFamily }) => `connects to ${quote(hostname)} over ${ipFamily}`,
  describeSize: ({ sendsData }) =>
    sendsData ? "one connection and one response a run" : "one connection a run",
  /** The response time limits are described for every check already. */
  describeLimits: () => [],
  describeResult,
  describeRun,
  describeDestination: ({ port, resolvedIp }) =>
    resolvedIp === null ? "" : ` to ${writeEndpoint({ hostname: resolvedIp, port })}`,
  findEvidence: () => null,
  culprits: {
    "name-not-resolved": "Name resolution seems to be the cause: no connection was attempted.",
    "connection-refused":
      "The host responds but refuses the connection: the service is not running, or a firewall rejects it.",
    "address-denied": "The probe's own rules forbid that address.",
  },
  ownReasons: ["no-answer-in-time", "closed-before-data", "reset-before-data"],
  describeFigures: ({ connectMs }) =>
    connectMs === null ? "" : `connecting ${writeMs(connectMs)}`,
  describeChange: (before, now) =>
    before.connectMs === null || now.connectMs === null
      ? ""
      : `connecting ${writeMs(before.connectMs)} → ${writeMs(now.connectMs)}`,
  describeDifference: (change) => {
    const { connectMs } = change as FigureData;
    return connectMs === null ? "" : `connecting ${writeChange(connectMs, "ms")}`;
  },
  measure: null,
  spread: null,
  proposal,
};
