import type { Trouble } from "../../contract/result.ts";
import type { Assertion, AssertionResult } from "../assertions/assertion.ts";
import {
  findFailedAssertions,
  findSlowness,
  type Judgement,
  judgeByReasons,
  type VerdictSettings,
} from "../verdict.ts";
import type { BodyEnd, HttpMeasurement, HttpTrouble } from "./http-measurement.ts";

const troubleReasons = {
  unresolved: "name-not-resolved",
  denied: "address-denied",
  refused: "connection-refused",
  unreachable: "host-unreachable",
  "timed-out": "request-timed-out",
  reset: "connection-reset",
  closed: "connection-closed",
  "tls-failed": "tls-failed",
  "certificate-rejected": "certificate-rejected",
  "broken-answer": "broken-answer",
  "too-many-redirects": "too-many-redirects",
  "redirect-refused": "redirect-refused",
  failed: "request-failed",
} as const satisfies Readonly<Record<HttpTrouble["kind"], string>>;

type TroubleReason = (typeof troubleReasons)[HttpTrouble["kind"]];

/** Trying again changes nothing about what a server or this probe is set to. */
const lasting: ReadonlySet<TroubleReason> = new Set([
  "address-denied",
  "certificate-rejected",
  "too-many-redirects",
  "redirect-refused",
]);

export type HttpReason =
  | { readonly name: TroubleReason; readonly code: string; readonly message: string }
  | { readonly name: "body-incomplete"; readonly bodyEnd: BodyEnd; readonly receivedBytes: number }
  | { readonly name: "error-status"; readonly status: number; readonly statusText: string };

/** Of a run without an answer. */
export function judgeTrouble({ kind, code, message }: Trouble): Judgement {
  const isKnown = Object.hasOwn(troubleReasons, kind);
  const name = isKnown ? troubleReasons[kind as HttpTrouble["kind"]] : "request-failed";
  const reason: HttpReason = { name, code, message };
  return { verdict: "failing", isNetworkError: !lasting.has(name), reasons: [reason] };
}

/** The first status that fails a check which says nothing about the status itself. */
const firstErrorStatus = 400;

export function findErrorStatus(
  assertions: readonly Pick<Assertion, "source">[],
  { status, statusText }: Pick<HttpMeasurement, "status" | "statusText">,
): HttpReason[] {
  const isDecided = assertions.some(({ source }) => source === "STATUS_CODE");
  if (isDecided || status < firstErrorStatus) return [];
  return [{ name: "error-status", status, statusText }];
}

/** Of a run with an answer. The assertions are those of its order, and the probe evaluated them. */
export function judgeAnswer(
  settings: VerdictSettings,
  measured: HttpMeasurement,
  claimed: {
    readonly assertions: readonly Assertion[];
    readonly results: readonly AssertionResult[];
  },
): Judgement {
  const { bodyEnd, receivedBytes, totalMs } = measured;
  if (bodyEnd !== "complete" && bodyEnd !== "cut") {
    const reason: HttpReason = { name: "body-incomplete", bodyEnd, receivedBytes };
    return { verdict: "failing", isNetworkError: true, reasons: [reason] };
  }
  const failures = [
    ...findErrorStatus(claimed.assertions, measured),
    ...findFailedAssertions(claimed.assertions, claimed.results),
    ...findSlowness("response-time-above-max", totalMs, settings.maxResponseTime),
  ];
  const { degradedResponseTime } = settings;
  const flaws = findSlowness("response-time-above-degraded", totalMs, degradedResponseTime);
  return judgeByReasons(failures, flaws);
}

const bodyFaults: Readonly<Record<BodyEnd, string>> = {
  complete: "it came",
  cut: "it came",
  "timed-out": "it did not come in time",
  closed: "the server closed the connection within it",
  reset: "the connection was reset within it",
  broken: "it breaks the rules of HTTP",
};

export function explainHttp(reason: HttpReason): string {
  switch (reason.name) {
    case "name-not-resolved":
      return `the name did not resolve (${reason.code}): ${toClause(reason.message)}`;
    case "address-denied":
      return `the probe may not reach it: ${toClause(reason.message)}`;
    case "body-incomplete":
      return `the answer has no whole body: ${bodyFaults[reason.bodyEnd]} (after ${reason.receivedBytes} bytes)`;
    case "error-status":
      return `the status was ${`${reason.status} ${reason.statusText}`.trim()}, where one below ${firstErrorStatus} was expected`;
    case "certificate-rejected":
    case "redirect-refused":
    case "too-many-redirects":
      return toClause(reason.message);
    default:
      return `no answer came (${reason.code}): ${toClause(reason.message)}`;
  }
}

/** A sentence of ours as part of another. */
function toClause(sentence: string): string {
  const isName = /^[A-Z]{2}/.test(sentence);
  const begin = isName ? sentence.charAt(0) : sentence.charAt(0).toLowerCase();
  return `${begin}${sentence.slice(1)}`.replace(/\.$/, "");
}
