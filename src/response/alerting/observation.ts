import { type AlertRules, minuteMs } from "./alert-rules.ts";
import {
  type AlertState,
  findAlertedPhase,
  type LocationVerdict,
  type Phase,
  type RunVerdict,
  restartSilence,
} from "./alert-state.ts";

/** The last attempt of a run at one location, after which the result no longer changes. */
export interface FinalRun {
  readonly verdict: RunVerdict;
  readonly location: string;
  readonly dueAtMs: number;
  /** When the result became final after retries; the due time of the run if omitted. */
  readonly decidedAtMs?: number;
  readonly resultId: string;
  readonly runParallel: boolean;
  /** Names of the locations where the check currently runs. */
  readonly locations: readonly string[];
  /**
   * Whether later runs may have been evaluated before this run. If true, the run is not ignored as
   * outdated.
   */
  readonly isLate?: boolean;
}

/** Whether a run counts for the alert state, or the reason why it does not. */
export type Observation =
  | "counted"
  | "below-location-share"
  | "stale-result"
  | "location-removed"
  | "probe-suspect"
  | "no-data-counts-nothing";

export interface Observed {
  readonly state: AlertState;
  readonly observation: Observation;
}

/** Returns when a run became final: never before it was due, even if the clock was set back. */
export function findDecisionMs(run: FinalRun): number {
  return Math.max(run.dueAtMs, run.decidedAtMs ?? run.dueAtMs);
}

/**
 * Updates the phase of the alert state after a run, but not the fields about sent alerts. With
 * round robin, the run with the latest due time decides. With parallel locations, the newest
 * verdicts of all locations vote. A run without a verdict does not change the phase, and its
 * location does not vote until a later run has a verdict.
 */
export function observeRun(state: AlertState, run: FinalRun, rules: AlertRules): Observed {
  const known = findLocation(state, run.location);
  const { isLate = false } = run;
  if (!isLate && known !== undefined && run.dueAtMs <= known.atMs) {
    return { state, observation: "stale-result" };
  }
  const verdict = rules.probeIsSuspect ? "unknown" : run.verdict;
  const isNewest = state.lastDueAtMs === null || run.dueAtMs > state.lastDueAtMs;
  const seen: AlertState = {
    ...state,
    locations: keepConfigured(state, run, verdict),
    lastDueAtMs: isNewest ? run.dueAtMs : state.lastDueAtMs,
  };
  if (run.runParallel && !run.locations.includes(run.location)) {
    return { state: seen, observation: "location-removed" };
  }
  if (!run.runParallel && !isNewest && !isLate) return { state: seen, observation: "stale-result" };
  if (verdict === "unknown") {
    const observation = rules.probeIsSuspect ? "probe-suspect" : "no-data-counts-nothing";
    return { state: seen, observation };
  }
  const counted: AlertState = {
    ...restartSilence(seen, findDecisionMs(run)),
    lastResultId: run.resultId,
  };
  if (!run.runParallel)
    return { state: enterPhase(counted, run, toPhase(verdict)), observation: "counted" };
  const { phase, isBelowShare } = countVotes(counted, run, rules);
  const observation = isBelowShare ? "below-location-share" : "counted";
  return { state: enterPhase(counted, run, phase), observation };
}

/** Enters the no-data phase after too long without results, unless the check is deactivated. */
export function observeSilence(state: AlertState, nowMs: number, rules: AlertRules): AlertState {
  if (!rules.activated) return restartSilence(state, nowMs);
  const dueMs = findSilenceDueMs(state, rules);
  if (dueMs === null || nowMs < dueMs) return state;
  return {
    ...state,
    phase: "no-data",
    sinceMs: Math.max(nowMs, state.sinceMs),
    cameFrom: state.phase,
    failedRuns: 0,
    countedDueAtMs: null,
    // Clear the hold reason of the last run, because the no-data alert is not based on a run.
    heldReason: null,
  };
}

export function findSilenceDueMs(state: AlertState, rules: AlertRules): number | null {
  if (rules.noDataMinutes === null || state.phase === "no-data") return null;
  return state.heardAtMs + rules.noDataMinutes * minuteMs;
}

function toPhase(verdict: "passing" | "degraded" | "failing"): Phase {
  return verdict === "passing" ? "calm" : verdict;
}

/**
 * Returns the phase that follows from the verdicts of all locations. Without a percentage
 * threshold, the worst location decides. With a threshold, the check fails only if enough locations
 * fail. If too few locations fail, an alert that was already sent stays open until no location
 * fails. Otherwise, the alert would open and close whenever a location changes.
 */
function countVotes(
  state: AlertState,
  run: FinalRun,
  rules: AlertRules,
): { readonly phase: Phase; readonly isBelowShare: boolean } {
  const places = [...new Set(run.locations)];
  const votes = places.map((place) => findLocation(state, place)?.verdict);
  const failing = votes.filter((vote) => vote === "failing").length;
  const isDegraded = votes.includes("degraded");
  const calmest: Phase = isDegraded ? "degraded" : "calm";
  if (failing === 0) return { phase: calmest, isBelowShare: false };

  const { enabled, percentage } = rules.settings.parallelRunFailureThreshold;
  // A location without runs counts as a voter. A location whose last verdict is unknown does not.
  const voters = votes.filter((vote) => vote !== "unknown").length;
  const isReached = failing * 100 >= percentage * voters;
  if (!enabled || places.length < 2 || isReached) return { phase: "failing", isBelowShare: false };
  const alerted = findAlertedPhase(state);
  const isAlerted = alerted === "failing" || alerted === "degraded";
  return { phase: isAlerted ? alerted : calmest, isBelowShare: true };
}

function enterPhase(state: AlertState, run: FinalRun, phase: Phase): AlertState {
  if (phase !== state.phase) {
    return {
      ...state,
      phase,
      // A late result may be older than the current phase, but the start times of phases must
      // increase.
      sinceMs: Math.max(run.dueAtMs, state.sinceMs),
      cameFrom: state.phase,
      failedRuns: phase === "calm" ? 0 : 1,
      countedDueAtMs: run.dueAtMs,
    };
  }
  const isCounted = state.countedDueAtMs !== null && run.dueAtMs <= state.countedDueAtMs;
  const isBad = phase === "failing" ? run.verdict === "failing" : run.verdict !== "passing";
  if (phase === "calm" || !isBad || isCounted) return state;
  return { ...state, failedRuns: state.failedRuns + 1, countedDueAtMs: run.dueAtMs };
}

function keepConfigured(
  state: AlertState,
  run: FinalRun,
  verdict: RunVerdict,
): Record<string, LocationVerdict> {
  const kept: [string, LocationVerdict][] = [];
  for (const location of run.locations) {
    const known = findLocation(state, location);
    const atMs = Math.max(run.dueAtMs, known?.atMs ?? 0);
    if (location === run.location) kept.push([location, { verdict, atMs }]);
    else if (known !== undefined) kept.push([location, known]);
  }
  return Object.fromEntries(kept);
}

/**
 * Returns the verdict at a location. Reads own properties only, because a location may be named
 * like an inherited property such as "constructor".
 */
function findLocation(state: AlertState, location: string): LocationVerdict | undefined {
  return Object.hasOwn(state.locations, location) ? state.locations[location] : undefined;
}
