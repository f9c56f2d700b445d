import { evaluateAssertions } from "../../kit/assertions/assertion.ts";
import type { Run } from "../../kit/definition.ts";
import {
  findFailedAssertions,
  findSlowness,
  type Judgement,
  judgeByReasons,
  judgeOutcome,
} from "../../kit/verdict.ts";
import { buildResponse } from "./document.ts";
import { computeTotalMs, type TcpMeasurement, type TcpTrouble } from "./measurement.ts";
import { assertionSources, type TcpRequest, type TcpSettings } from "./request.ts";

const troubleReasons = {
  unresolved: "name-not-resolved",
  denied: "address-denied",
  refused: "connection-refused",
  unreachable: "host-unreachable",
  "timed-out": "connection-timed-out",
  reset: "connection-reset",
  failed: "connection-failed",
} as const satisfies Readonly<Record<TcpTrouble["kind"], string>>;

type TroubleReason = (typeof troubleReasons)[TcpTrouble["kind"]];

const troubles = { names: troubleReasons, fallback: "connection-failed" };
type AnswerReason = "no-answer-in-time" | "closed-before-data" | "reset-before-data";

export type TcpReason =
  | { readonly name: TroubleReason; readonly code: string; readonly message: string }
  | { readonly name: "no-answer-in-time"; readonly timeoutMs: number }
  | { readonly name: Exclude<AnswerReason, "no-answer-in-time"> };

type TcpRun = Run<TcpRequest, TcpMeasurement>;

/** Judges a run. The verdict is the worst that applies: failing, then degraded, then passing. */
export function judge(settings: TcpSettings, run: TcpRun): Judgement {
  return judgeOutcome(run.outcome, troubles, (measured) => judgeMeasured(settings, run, measured));
}

function judgeMeasured(settings: TcpSettings, run: TcpRun, measurement: TcpMeasurement): Judgement {
  const missing = findMissingAnswer(run.request, measurement);
  if (missing !== null) return { verdict: "failing", isNetworkError: true, reasons: [missing] };
  const totalMs = computeTotalMs(measurement);
  const failures = [
    ...findSlowness("response-time-above-max", totalMs, settings.maxResponseTime),
    ...listFailedAssertions(settings, run),
  ];
  const { degradedResponseTime } = settings;
  const flaws = findSlowness("response-time-above-degraded", totalMs, degradedResponseTime);
  return judgeByReasons(failures, flaws);
}

function findMissingAnswer(
  { timeoutMs }: TcpRequest,
  { answer }: TcpMeasurement,
): TcpReason | null {
  switch (answer) {
    case "timed-out":
      return { name: "no-answer-in-time", timeoutMs };
    case "closed":
      return { name: "closed-before-data" };
    case "reset":
      return { name: "reset-before-data" };
    default:
      return null;
  }
}

function listFailedAssertions({ request }: TcpSettings, run: TcpRun) {
  if (request.assertions.length === 0) return [];
  const results = evaluateAssertions(assertionSources, request.assertions, buildResponse(run));
  return findFailedAssertions(request.assertions, results);
}

export function explain(reason: TcpReason): string {
  switch (reason.name) {
    case "name-not-resolved":
      return `the name could not be resolved (${reason.code}): ${reason.message}`;
    case "address-denied":
      return `the probe may not connect to it: ${reason.message}`;
    case "no-answer-in-time":
      return `the connection was established, but there was no response within ${reason.timeoutMs} ms`;
    case "closed-before-data":
      return "the connection was established, but the server closed it without sending data";
    case "reset-before-data":
      return "the connection was established, but the server reset it without sending data";
    default:
      return `the connection failed (${reason.code}): ${reason.message}`;
  }
}
