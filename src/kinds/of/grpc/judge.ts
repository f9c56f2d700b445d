import { evaluateAssertions } from "../../kit/assertions/assertion.ts";
import type { Run } from "../../kit/definition.ts";
import {
  findFailedAssertions,
  findSlowness,
  type Judgement,
  judgeByReasons,
  judgeOutcome,
} from "../../kit/verdict.ts";
import { toClause } from "../../wire/http/http-judge.ts";
import { buildResponse } from "./document.ts";
import {
  computeTotalMs,
  type GrpcMeasurement,
  type GrpcTrouble,
  healthStatuses,
  nameStatus,
  servingStatus,
} from "./measurement.ts";
import { assertionSources, type GrpcRequest, type GrpcSettings } from "./request.ts";

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
  "not-grpc": "not-grpc",
  "method-unknown": "method-unknown",
  "broken-answer": "broken-answer",
  failed: "request-failed",
} as const satisfies Readonly<Record<GrpcTrouble["kind"], string>>;

type TroubleReason = (typeof troubleReasons)[GrpcTrouble["kind"]];

const troubles = {
  names: troubleReasons,
  fallback: "request-failed",
  lasting: ["certificate-rejected", "not-grpc", "method-unknown"],
};

export type GrpcReason =
  | { readonly name: TroubleReason; readonly code: string; readonly message: string }
  | { readonly name: "status-not-ok"; readonly statusCode: number; readonly statusMessage: string }
  | { readonly name: "not-serving"; readonly healthStatus: number };

type GrpcRun = Run<GrpcRequest, GrpcMeasurement>;

/** Judges a run. The verdict is the worst that applies: failing, then degraded, then passing. */
export function judge(settings: GrpcSettings, run: GrpcRun): Judgement {
  return judgeOutcome(run.outcome, troubles, (measured) => judgeMeasured(settings, run, measured));
}

function judgeMeasured(settings: GrpcSettings, run: GrpcRun, measured: GrpcMeasurement): Judgement {
  const { assertions } = settings.request;
  const results = evaluateAssertions(assertionSources, assertions, buildResponse(run));
  const totalMs = computeTotalMs(measured);
  const failures = [
    ...findBadStatus(settings, measured),
    ...findFailedAssertions(assertions, results),
    ...findSlowness("response-time-above-max", totalMs, settings.maxResponseTime),
  ];
  const { degradedResponseTime } = settings;
  const flaws = findSlowness("response-time-above-degraded", totalMs, degradedResponseTime);
  return judgeByReasons(failures, flaws);
}

/**
 * Returns the reason why the status of the call or the health status is bad. Ignores a status that
 * an assertion compares, because then only the assertion decides.
 */
function findBadStatus(
  { request }: GrpcSettings,
  { statusCode, statusMessage, healthStatus }: GrpcMeasurement,
): GrpcReason[] {
  const isAsserted = (source: string) => request.assertions.some((one) => one.source === source);
  if (statusCode !== 0) {
    const isDecided = isAsserted("GRPC_STATUS_CODE");
    return isDecided ? [] : [{ name: "status-not-ok", statusCode, statusMessage }];
  }
  if (healthStatus === null || healthStatus === servingStatus) return [];
  return isAsserted("GRPC_HEALTHCHECK_STATUS") ? [] : [{ name: "not-serving", healthStatus }];
}

export function explain(reason: GrpcReason): string {
  switch (reason.name) {
    case "status-not-ok": {
      const { statusCode, statusMessage } = reason;
      const text = statusMessage === "" ? "" : `: ${statusMessage}`;
      return `the call ended with status ${statusCode} (${nameStatus(statusCode)})${text}`;
    }
    case "not-serving":
      return `the health status was ${healthStatuses[reason.healthStatus] ?? reason.healthStatus}`;
    case "name-not-resolved":
      return `the name did not resolve (${reason.code}): ${toClause(reason.message)}`;
    case "address-denied":
      return `the probe may not connect to it: ${toClause(reason.message)}`;
    case "certificate-rejected":
    case "method-unknown":
    case "not-grpc":
    case "broken-answer":
      return toClause(reason.message);
    default:
      return `there was no response (${reason.code}): ${toClause(reason.message)}`;
  }
}
