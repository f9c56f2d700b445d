import type { Verdict } from "../../kinds/kit/verdict.ts";

export const retryTypes = ["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"] as const;
export type RetryType = (typeof retryTypes)[number];

export interface RetryStrategy {
  readonly type: RetryType;
  readonly baseBackoffSeconds: number;
  /** Maximum number of retries. Ignored for SINGLE_RETRY, which has one retry. */
  readonly maxRetries: number;
  /** Maximum time from the due time to the last retry's start. Ignored for SINGLE_RETRY. */
  readonly maxDurationSeconds: number;
  readonly sameRegion: boolean;
  readonly onlyOn: readonly "NETWORK_ERROR"[];
}

export interface FinishedAttempt {
  /** Retry strategy of the check; `null` if failed runs are not retried. */
  readonly strategy: RetryStrategy | null;
  /** Number of the attempt that ended, starting at 1. */
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly isNetworkError: boolean;
  readonly firstStartedAtMs: number;
  readonly nowMs: number;
}

type FinalReason =
  | "not-failing"
  | "no-strategy"
  | "not-a-network-error"
  | "retries-used-up"
  | "duration-used-up";

type RetryDecision =
  | { readonly kind: "retry"; readonly afterMs: number }
  | { readonly kind: "final"; readonly reason: FinalReason };

interface RetryPlace {
  readonly sameRegion: boolean;
  readonly runParallel: boolean;
  readonly locations: readonly string[];
  /** Location of the failed attempt. */
  readonly location: string;
  readonly attempt: number;
  readonly runId: string;
}

/** Maximum delay of a retry. Equal to the longest duration that a strategy may have. */
export const maxRetryWaitMs = 600_000;

/**
 * Decides whether a run is retried. Only failing runs are retried. A degraded run is a valid
 * result. An unknown verdict means a problem of the monitoring itself: a retry would increase the
 * load, and the next run is due soon.
 */
export function decideRetry(finished: FinishedAttempt): RetryDecision {
  const { strategy, attempt, verdict, isNetworkError, firstStartedAtMs, nowMs } = finished;
  if (verdict !== "failing") return { kind: "final", reason: "not-failing" };
  if (strategy === null) return { kind: "final", reason: "no-strategy" };
  if (strategy.onlyOn.includes("NETWORK_ERROR") && !isNetworkError) {
    return { kind: "final", reason: "not-a-network-error" };
  }
  const isSingle = strategy.type === "SINGLE_RETRY";
  if (attempt > (isSingle ? 1 : strategy.maxRetries)) {
    return { kind: "final", reason: "retries-used-up" };
  }
  const backoffMs = findBackoffSeconds(strategy, attempt) * 1_000;
  // If the clock was set back, a negative elapsed time must not extend the allowed duration.
  const elapsedMs = Math.max(0, nowMs - firstStartedAtMs);
  if (!isSingle && elapsedMs + backoffMs > strategy.maxDurationSeconds * 1_000) {
    return { kind: "final", reason: "duration-used-up" };
  }
  return { kind: "retry", afterMs: Math.min(Math.max(backoffMs, 0), maxRetryWaitMs) };
}

/** Usual delay of a retry, caused by sending the order and starting the run. */
const usualDelayMs = 2_000;
/**
 * Maximum delay between the planned and the actual start of a retry. After a longer delay, the
 * result no longer describes the target at the time of the run.
 */
const maxDelayMs = 10_000;

interface StartedRetry {
  readonly plannedAtMs: number;
  readonly startedAtMs: number;
  readonly nextDueMs: number;
}

/**
 * Whether a retry started too late to describe its run. A retry is late if it started long after
 * its planned time, or if it was planned before the next run was due but started afterwards.
 */
export function isRetryLate({ plannedAtMs, startedAtMs, nextDueMs }: StartedRetry): boolean {
  const delayMs = startedAtMs - plannedAtMs;
  if (delayMs <= usualDelayMs) return false;
  return delayMs > maxDelayMs || (plannedAtMs < nextDueMs && startedAtMs >= nextDueMs);
}

/**
 * Chooses the location of a retry from the run id, so that a repeated call gives the same result.
 */
export function chooseRetryLocation(place: RetryPlace): string {
  const { sameRegion, runParallel, locations, location, attempt, runId } = place;
  if (sameRegion || runParallel) return location;
  const others = locations.filter((other) => other !== location);
  const chance = Number.parseInt(runId.replaceAll("-", "").slice(-8), 16);
  return others[(chance + attempt) % others.length] ?? location;
}

function findBackoffSeconds(strategy: RetryStrategy, attempt: number): number {
  const base = strategy.baseBackoffSeconds;
  if (strategy.type === "LINEAR") return base * attempt;
  if (strategy.type === "EXPONENTIAL") return base ** attempt;
  return base;
}
