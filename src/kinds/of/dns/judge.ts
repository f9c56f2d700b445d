import { evaluateAssertions } from "../../kit/assertions/assertion.ts";
import type { Run } from "../../kit/definition.ts";
import {
  findFailedAssertions,
  findSlowness,
  type Judgement,
  judgeByReasons,
  judgeOutcome,
  type Reason,
} from "../../kit/verdict.ts";
import { buildResponse } from "./document.ts";
import { computeTotalMs, type DnsMeasurement, type DnsTrouble, readAnswer } from "./measurement.ts";
import type { DnsRequest } from "./request.ts";
import { assertionSources, type DnsSettings } from "./request.ts";
import { noError, writeResponseCode } from "./wire/record-types.ts";

const troubleReasons = {
  unresolved: "name-server-not-resolved",
  denied: "address-denied",
  refused: "name-server-refused",
  unreachable: "name-server-unreachable",
  "timed-out": "name-server-silent",
  closed: "connection-closed",
  truncated: "answer-truncated",
  malformed: "answer-malformed",
  flooded: "answers-to-other-queries",
  failed: "query-failed",
} as const satisfies Readonly<Record<DnsTrouble["kind"], string>>;

type TroubleReason = (typeof troubleReasons)[DnsTrouble["kind"]];

const troubles = { names: troubleReasons, fallback: "query-failed" };

export type DnsReason =
  | { readonly name: TroubleReason; readonly code: string; readonly message: string }
  | { readonly name: "response-code-not-noerror"; readonly responseCode: string }
  | { readonly name: "record-broken"; readonly recordType: string; readonly count: number };

type DnsRun = Run<DnsRequest, DnsMeasurement>;

/** Judges a run. A failing reason takes precedence over a degraded one. */
export function judge(settings: DnsSettings, run: DnsRun): Judgement {
  return judgeOutcome(run.outcome, troubles, (measured) => judgeMeasured(settings, run, measured));
}

function judgeMeasured(settings: DnsSettings, run: DnsRun, measurement: DnsMeasurement): Judgement {
  const totalMs = computeTotalMs(measurement);
  const failures = [
    ...findWrongCode(settings, measurement),
    ...findBrokenRecords(measurement),
    ...findSlowness("response-time-above-max", totalMs, settings.maxResponseTime),
    ...listFailedAssertions(settings, run),
  ];
  const { degradedResponseTime } = settings;
  const flaws = findSlowness("response-time-above-degraded", totalMs, degradedResponseTime);
  return judgeByReasons(failures, flaws);
}

/**
 * Returns a reason for a response code other than NOERROR. If an assertion compares the response
 * code, only the assertion decides.
 */
function findWrongCode({ request }: DnsSettings, { responseCode }: DnsMeasurement): DnsReason[] {
  const isAsserted = request.assertions.some(({ source }) => source === "RESPONSE_CODE");
  if (isAsserted || responseCode === noError) return [];
  return [{ name: "response-code-not-noerror", responseCode: writeResponseCode(responseCode) }];
}

function findBrokenRecords(measurement: DnsMeasurement): DnsReason[] {
  const answer = readAnswer(measurement);
  if (answer === null) {
    const message = "The answer is malformed.";
    return [{ name: "answer-malformed", code: "EBADRESP", message }];
  }
  const broken = answer.answers.filter(({ isBroken }) => isBroken);
  const [first] = broken;
  if (first === undefined) return [];
  return [{ name: "record-broken", recordType: first.type, count: broken.length }];
}

function listFailedAssertions({ request }: DnsSettings, run: DnsRun): Reason[] {
  if (request.assertions.length === 0) return [];
  const results = evaluateAssertions(assertionSources, request.assertions, buildResponse(run));
  return findFailedAssertions(request.assertions, results);
}

const meanings: Readonly<Record<string, string>> = {
  FORMERR: "it did not understand the query",
  SERVFAIL: "it failed to resolve the name",
  NXDOMAIN: "the name does not exist",
  NOTIMP: "it does not support such queries",
  REFUSED: "it refused the query",
};

export function explain(reason: DnsReason): string {
  switch (reason.name) {
    case "response-code-not-noerror": {
      const meaning = meanings[reason.responseCode];
      const text = `the server answered ${reason.responseCode}`;
      return meaning === undefined ? text : `${text}: ${meaning}`;
    }
    case "record-broken":
      return reason.count === 1
        ? `the answer has an invalid ${reason.recordType} record`
        : `the answer has ${reason.count} invalid records, the first of type ${reason.recordType}`;
    case "name-server-not-resolved":
      return `the name of the DNS server could not be resolved (${reason.code}): ${reason.message}`;
    case "address-denied":
      return `the probe may not connect to the DNS server: ${reason.message}`;
    case "answer-malformed":
    case "answer-truncated":
    case "answers-to-other-queries":
      return `the DNS server gave no usable answer: ${reason.message}`;
    default:
      return `the DNS server gave no answer (${reason.code}): ${reason.message}`;
  }
}
