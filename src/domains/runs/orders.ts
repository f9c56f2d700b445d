import type { Order } from "../../contract/order.ts";
import type { NoData, Result } from "../../contract/result.ts";
import { deriveRunId } from "./run-id.ts";
import type { Watched } from "./watch-list.ts";

export interface OrderTime {
  readonly location: string;
  readonly dueAtMs: number;
  readonly attempt: number;
  readonly startAtMs: number;
}

export function createOrder(watched: Watched, when: OrderTime): Order {
  const { checkId, kind, settings } = watched;
  const { location, dueAtMs, attempt, startAtMs } = when;
  return {
    runId: deriveRunId({ checkId, dueAtMs, location, attempt }),
    checkId,
    kind: kind.type,
    location,
    attempt,
    dueAtMs,
    startAtMs,
    deadlineAtMs: startAtMs + kind.deadlineMs(settings),
    request: kind.toRequest(settings),
    ...(watched.needsValues && { isIncomplete: true }),
  };
}

/** What is recorded of a run that nobody made or nobody answered for. */
export function createNoDataResult(order: Order, outcome: NoData, nowMs: number): Result {
  const { runId, checkId, kind, location, attempt, dueAtMs, request } = order;
  return {
    runId,
    checkId,
    kind,
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
