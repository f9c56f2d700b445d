import type { Order } from "../../contract/order.ts";
import type { NoData, Result } from "../../contract/result.ts";
import { deriveRunId } from "./run-id.ts";
import type { Watched } from "./watch-list.ts";

/** A name may take four seconds, each further packet half a second, the last reply three more. */
const resolveMs = 4_000;
const spacingMs = 500;
const replyMs = 3_000;
const slackMs = 8_000;

export interface OrderTime {
  readonly location: string;
  readonly dueAtMs: number;
  readonly attempt: number;
  readonly startAtMs: number;
}

export function createOrder(watched: Watched, when: OrderTime): Order {
  const { checkId, settings } = watched;
  const { hostname, ipFamily, pingCount } = settings.request;
  const { location, dueAtMs, attempt, startAtMs } = when;
  const runMs = resolveMs + (pingCount - 1) * spacingMs + replyMs + slackMs;
  return {
    runId: deriveRunId({ checkId, dueAtMs, location, attempt }),
    checkId,
    kind: "ICMP",
    location,
    attempt,
    dueAtMs,
    startAtMs,
    deadlineAtMs: startAtMs + runMs,
    request: { hostname, ipFamily, pingCount },
  };
}

/** What is recorded of a run that nobody made or nobody answered for. */
export function createNoDataResult(order: Order, outcome: NoData, nowMs: number): Result {
  const { runId, checkId, location, attempt, dueAtMs, request } = order;
  return {
    runId,
    checkId,
    location,
    attempt,
    dueAtMs,
    request,
    startedAtMs: nowMs,
    stoppedAtMs: nowMs,
    probeId: "none",
    outcome,
  };
}
