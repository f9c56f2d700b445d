import { writeMs } from "../../platform/text/figures.ts";
import { quote } from "../../platform/text/quote.ts";
import type { KindSpeech } from "../speech.ts";
import { proposal } from "./proposal.ts";

/** What the agent's tools return for SSL checks and their runs. */
interface CheckData {
  /** The host, with its port unless it is 443. */
  readonly hostname: string;
  readonly ipFamily: string;
  readonly alertDaysBeforeExpiry: number;
}

interface ResultData {
  readonly daysLeft: number | null;
  readonly handshakeMs: number | null;
  readonly tlsVersion: string | null;
}

interface RunData extends ResultData {
  readonly port: number;
  readonly resolvedIp: string | null;
  readonly issuer: string | null;
  readonly validTo: string | null;
  readonly names: readonly string[];
  readonly trouble: Readonly<Record<string, unknown>> | null;
}

interface FigureData {
  readonly daysLeft: number | null;
}

function writeDays(days: number | null): string {
  if (days === null) return "no data";
  const rounded = Math.floor(days);
  if (rounded < 0) return "expired";
  return `${rounded} ${rounded === 1 ? "day" : "days"} left`;
}

function describeResult({ daysLeft, handshakeMs }: ResultData): string {
  if (daysLeft === null) return "no handshake";
  return `certificate ${writeDays(daysLeft)}, handshake in ${writeMs(handshakeMs)}`;
}

function describeRun(run: RunData): string[] {
  const { trouble, issuer, validTo, names } = run;
  if (trouble !== null) {
    const message = trouble.message ?? trouble.code ?? trouble.kind;
    return [`nothing was measured: ${quote(String(message ?? "unknown reason"), 200)}`];
  }
  return [
    describeResult(run),
    ...(validTo === null ? [] : [`it expires on ${validTo.slice(0, 10)}`]),
    ...(issuer === null ? [] : [`it is signed by ${quote(issuer, 100)}`]),
    ...(names.length === 0 ? [] : [`it is for ${quote(names.join(", "), 200)}`]),
  ];
}

/** Phrases and rules for SSL checks. */
export const speech: KindSpeech<CheckData, ResultData, RunData, FigureData> = {
  lexicon: { LATENCY: "", MEASURE: "", UNIT: "", PATTERN: "", SPREAD: "" },
  glossary: {
    failing:
      "Failing: the latest handshake failed, or the certificate has expired, is for another name, is not trusted, is revoked or violates a rule.",
    degraded:
      "Degraded: the certificate expires soon, or the latest run was slower than its degraded limit.",
    percentiles: "P95: 95 of 100 handshakes were at least as fast; P50 and P99 alike.",
    measure: "Response time: from the start of name resolution to the end of the handshake.",
  },
  examples: [],
  target: ({ hostname }) => hostname,
  describeTarget: ({ hostname, ipFamily }) =>
    `watches the certificate of ${quote(hostname)} over ${ipFamily}`,
  describeSize: () => "one handshake a run",
  describeLimits: ({ alertDaysBeforeExpiry }) => [
    `degraded ${alertDaysBeforeExpiry} days before the certificate expires`,
  ],
  describeResult,
  describeRun,
  describeDestination: ({ resolvedIp }) => (resolvedIp === null ? "" : ` to ${resolvedIp}`),
  findEvidence: () => null,
  culprits: {
    "name-not-resolved": "Name resolution seems to be the cause: no connection was attempted.",
    "connection-refused":
      "The host responds but refuses the connection: the service is not running, or a firewall rejects it.",
    "address-denied": "The probe's own rules forbid that address.",
    "not-tls": "Another service is listening on that port, or TLS is disabled there.",
    "incomplete-chain":
      "The server does not send the intermediate certificates: add them to its certificate file.",
    "certificate-expired": "The certificate was not renewed in time.",
    "certificate-expires-soon": "The certificate is due for renewal.",
  },
  ownReasons: [],
  describeFigures: ({ daysLeft }) =>
    daysLeft === null ? "" : `certificate ${writeDays(daysLeft)}`,
  describeChange: (_before, { daysLeft }) =>
    daysLeft === null ? "" : `certificate ${writeDays(daysLeft)}`,
  describeDifference: () => "",
  measure: null,
  spread: null,
  proposal,
};
