import type { Order } from "../../contract/order.ts";
import type { NoData, Result } from "../../contract/result.ts";
import { deriveRunId } from "../results/index.ts";
import type { Watched } from "./watch-list.ts";

export interface OrderTime {
  readonly location: string;
  readonly dueAtMs: number;
  readonly attempt: number;
  readonly startAtMs: number;
}

export function createOrder(watched: Watched, when: OrderTime): Order {
  const { checkId, accountId, kind, settings } = watched;
  const { location, dueAtMs, attempt, startAtMs } = when;
  return {
    runId: deriveRunId({ checkId, dueAtMs, location, attempt }),
    checkId,
    accountId,
    kind: kind.type,
    location,
    attempt,
    dueAtMs,
    startAtMs,
    deadlineAtMs: startAtMs + kind.deadlineMs(settings),
    request: kind.toRequest(settings),
    ...(watched.needsValues && { isIncomplete: true }),
    ...(isPrivatePlace(watched, location) && { isPrivate: true }),
  };
}

export function isPrivatePlace({ settings }: Watched, location: string): boolean {
  const { locations, privateLocations } = settings;
  return privateLocations.includes(location) && !locations?.includes(location);
}

/**
 * Creates the result of a run that was reported from outside, such as a ping, at its arrival time.
 */
export function createArrivedResult(
  { checkId, kind, settings, places }: Watched,
  atMs: number,
  measurement: unknown,
): Result {
  const [location = ""] = places;
  return {
    runId: deriveRunId({ checkId, dueAtMs: atMs, location, attempt: 1 }),
    checkId,
    kind: kind.type,
    location,
    attempt: 1,
    dueAtMs: atMs,
    startedAtMs: atMs,
    stoppedAtMs: atMs,
    probeId: "none",
    request: kind.toRequest(settings),
    outcome: { kind: "measured", measurement },
  };
}

/** Creates the result of a run that no probe executed or answered. */
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
