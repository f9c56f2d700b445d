import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import { judgeRun } from "../../kinds/verdict.ts";
import type { JudgedResult } from "../results/index.ts";
import { createOrder, nextDueAtMs, type Watched } from "../schedule/index.ts";
import { chooseRetryLocation, decideRetry, isRetryLate } from "./retry.ts";

/** A result with its verdict and the retry that follows, if any. */
export interface Judged extends JudgedResult {
  readonly watched: Watched;
  readonly retry: Order | null;
  /** True for a retry that started too late to describe its run: the previous attempt is final. */
  readonly isLateRetry: boolean;
}

export interface JudgedAt {
  readonly nowMs: number;
  /** When a retry was to start; `null` for a first attempt. */
  readonly plannedAtMs: number | null;
}

export function judge(result: Result, watched: Watched, at: JudgedAt): Judged {
  const { kind, settings, places } = watched;
  const { nowMs } = at;
  const { verdict, reasons, isNetworkError } = judgeRun(kind, settings, result);
  const judged = { result, verdict, reasons, watched, retry: null, isLateRetry: false };
  if (verdict !== "unknown" && isLate(result, watched, at)) {
    return { ...judged, isFinal: false, isLateRetry: true };
  }
  const { attempt, dueAtMs, location, runId } = result;
  const { retryStrategy: strategy, runParallel } = settings;
  const decision = decideRetry({
    strategy,
    attempt,
    verdict,
    isNetworkError,
    firstStartedAtMs: dueAtMs,
    nowMs,
  });
  if (decision.kind === "final") return { ...judged, isFinal: true };
  const sameRegion = strategy?.sameRegion ?? true;
  const choice = { sameRegion, runParallel, locations: places, location, attempt, runId };
  const retry = createOrder(watched, {
    location: chooseRetryLocation(choice),
    dueAtMs,
    attempt: attempt + 1,
    startAtMs: nowMs + decision.afterMs,
  });
  return { ...judged, isFinal: false, retry };
}

function isLate(result: Result, { plan }: Watched, { plannedAtMs }: JudgedAt): boolean {
  if (plannedAtMs === null) return false;
  const nextDueMs = nextDueAtMs(plan, result.dueAtMs);
  return isRetryLate({ plannedAtMs, startedAtMs: result.startedAtMs, nextDueMs });
}
