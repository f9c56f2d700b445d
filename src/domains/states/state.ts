import type { Verdict } from "../../kinds/verdict.ts";

export interface LocationState {
  readonly verdict: Verdict;
  readonly resultId: string;
  readonly atMs: number;
}

/** A status that is interrupted, but not ended, by runs without data. */
export interface KnownState {
  readonly status: Verdict;
  readonly sinceMs: number;
}

/** The current state of a check: a fold over its final results. */
export interface CheckState {
  readonly status: Verdict;
  /**
   * Due time of the run that started the status; an interruption without data does not reset it.
   */
  readonly sinceMs: number;
  /** Time of the newest change; after an interruption without data it is later than `sinceMs`. */
  readonly changedAtMs: number;
  /** The status before runs without data, until their locations have a verdict again. */
  readonly beforeUnknown: KnownState | null;
  readonly lastResultId: string;
  readonly lastRunLocation: string;
  readonly lastRunAtMs: number;
  /** Number of consecutive failed runs. Runs without a verdict neither increase nor reset it. */
  readonly consecutiveFailures: number;
  /** The newest final result of each current location. */
  readonly locations: Readonly<Record<string, LocationState>>;
}
