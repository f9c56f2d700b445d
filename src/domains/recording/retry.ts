import type { Verdict } from "../../kinds/verdict.ts";

export const retryTypes = ["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"] as const;
export type RetryType = (typeof retryTypes)[number];

export interface RetryStrategy {
  readonly type: RetryType;
  readonly baseBackoffSeconds: number;
  /** Not used by SINGLE_RETRY, which retries once. */
  readonly maxRetries: number;
  /** From the first start to the start of the last retry. Not used by SINGLE_RETRY. */
  readonly maxDurationSeconds: number;
  readonly sameRegion: boolean;
  readonly onlyOn: readonly "NETWORK_ERROR"[];
}

export interface FinishedAttempt {
  /** Retry strategy of the check; `null` if it has no retries. */
  readonly strategy: RetryStrategy | null;
  /** The attempt that has just ended; 1 is the scheduled run. */
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
  /** Where the failed attempt ran. */
  readonly location: string;
  readonly attempt: number;
  readonly runId: string;
}

/** Upper bound of every delay: the longest duration that a strategy may have. */
export const maxRetryWaitMs = 600_000;

/**
 * Retries only failing runs. Degraded is a valid result. An unknown verdict is a problem of the
 * monitoring itself: an immediate retry would add to the load, and the next run is due soon.
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
  // A clock that was set back must not extend the allowed duration.
  const elapsedMs = Math.max(0, nowMs - firstStartedAtMs);
  if (!isSingle && elapsedMs + backoffMs > strategy.maxDurationSeconds * 1_000) {
    return { kind: "final", reason: "duration-used-up" };
  }
  return { kind: "retry", afterMs: Math.min(Math.max(backoffMs, 0), maxRetryWaitMs) };
}

/** Usual delay of a retry for its order and its probe. */
const usualDelayMs = 2_000;
/** A retry that starts later than this does not describe its run. */
const maxDelayMs = 10_000;

interface StartedRetry {
  readonly plannedAtMs: number;
  readonly startedAtMs: number;
  /** When the next run of the check is due. */
  readonly nextDueMs: number;
}

/**
 * Whether a retry started so late that it does not describe its run: long after its planned time,
 * or planned before the next run but started after that was due. A strategy may plan retries beyond
 * the next run; those are on time.
 */
export function isRetryLate({ plannedAtMs, startedAtMs, nextDueMs }: StartedRetry): boolean {
  const delayMs = startedAtMs - plannedAtMs;
  if (delayMs <= usualDelayMs) return false;
  return delayMs > maxDelayMs || (plannedAtMs < nextDueMs && startedAtMs >= nextDueMs);
}

/** Derives the choice from the run id, so that deciding twice gives the same location. */
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
