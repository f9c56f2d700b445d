import type { Assertion, AssertionResult } from "../../kit/assertions/assertion.ts";
import {
  findFailedAssertions,
  findSlowness,
  type Judgement,
  judgeByReasons,
  type VerdictSettings,
} from "../../kit/verdict.ts";
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
  "script-failed": "script-failed",
} as const satisfies Readonly<Record<HttpTrouble["kind"], string>>;

type TroubleReason = (typeof troubleReasons)[HttpTrouble["kind"]];

export const httpTroubles = {
  names: troubleReasons,
  fallback: "request-failed",
  lasting: ["certificate-rejected", "too-many-redirects", "redirect-refused", "script-failed"],
};

export type HttpReason =
  | { readonly name: TroubleReason; readonly code: string; readonly message: string }
  | { readonly name: "body-incomplete"; readonly bodyEnd: BodyEnd; readonly receivedBytes: number }
  | { readonly name: "error-status"; readonly status: number; readonly statusText: string };

/**
 * Lowest status code that makes a run fail, unless the check has an assertion on the status code.
 */
const firstErrorStatus = 400;

export function findErrorStatus(
  assertions: readonly Pick<Assertion, "source">[],
  { status, statusText }: Pick<HttpMeasurement, "status" | "statusText">,
): HttpReason[] {
  const isDecided = assertions.some(({ source }) => source === "STATUS_CODE");
  if (isDecided || status < firstErrorStatus) return [];
  return [{ name: "error-status", status, statusText }];
}

/** Judges a run with a response. `results` are the results of `assertions`, in the same order. */
export function judgeAnswer(
  settings: VerdictSettings,
  measured: HttpMeasurement,
  claimed: {
    readonly assertions: readonly Assertion[];
    readonly results: readonly AssertionResult[];
    readonly failures?: readonly HttpReason[];
  },
): Judgement {
  const { bodyEnd, receivedBytes, totalMs } = measured;
  if (bodyEnd !== "complete" && bodyEnd !== "cut") {
    const reason: HttpReason = { name: "body-incomplete", bodyEnd, receivedBytes };
    return { verdict: "failing", isNetworkError: true, reasons: [reason] };
  }
  const failures = [
    ...(claimed.failures ?? []),
    ...findErrorStatus(claimed.assertions, measured),
    ...findFailedAssertions(claimed.assertions, claimed.results),
    ...findSlowness("response-time-above-max", totalMs, settings.maxResponseTime),
  ];
  const { degradedResponseTime } = settings;
  const flaws = findSlowness("response-time-above-degraded", totalMs, degradedResponseTime);
  return judgeByReasons(failures, flaws);
}

const bodyFaults: Readonly<Record<BodyEnd, string>> = {
  complete: "it is complete",
  cut: "it reached the size limit",
  "timed-out": "it timed out",
  closed: "the server closed the connection early",
  reset: "the connection was reset",
  broken: "it violates the HTTP protocol",
};

export function explainHttp(reason: HttpReason): string {
  switch (reason.name) {
    case "name-not-resolved":
      return `the name did not resolve (${reason.code}): ${toClause(reason.message)}`;
    case "address-denied":
      return `the probe may not connect to it: ${toClause(reason.message)}`;
    case "body-incomplete":
      return `the response body is incomplete: ${bodyFaults[reason.bodyEnd]} (after ${reason.receivedBytes} bytes)`;
    case "error-status":
      return `the status code was ${`${reason.status} ${reason.statusText}`.trim()}, expected below ${firstErrorStatus}`;
    case "certificate-rejected":
    case "redirect-refused":
    case "script-failed":
    case "too-many-redirects":
      return toClause(reason.message);
    default:
      return `there was no response (${reason.code}): ${toClause(reason.message)}`;
  }
}

/** Converts a full sentence to a clause without a full stop. */
export function toClause(sentence: string): string {
  const isName = /^[A-Z]{2}/.test(sentence);
  const begin = isName ? sentence.charAt(0) : sentence.charAt(0).toLowerCase();
  return `${begin}${sentence.slice(1)}`.replace(/\.$/, "");
}
