import { type AlertRules, minuteMs } from "./alert-rules.ts";
import {
  type AlertState,
  findAlertedPhase,
  type Phase,
  type RecoveryKind,
  type TroubleKind,
} from "./alert-state.ts";

export type ChangeReason =
  | "run-threshold-reached"
  | "time-threshold-reached"
  | "worsened"
  | "improved"
  | "no-data"
  | "recovered";

/** A difference between the observed phase and the last alert, and the alert that reports it. */
export type Transition =
  | { readonly kind: RecoveryKind; readonly reason: "recovered" }
  | { readonly kind: "ALERT_NO_DATA"; readonly reason: "no-data" }
  | { readonly kind: TroubleKind; readonly reason: "worsened" | "improved" }
  | { readonly kind: "ALERT_FAILURE" | "ALERT_DEGRADED"; readonly reason: "needs-threshold" };

/**
 * Compares with the last alert rather than with the last run, so that a held alert is sent as soon
 * as possible if it still applies. If no alert was sent, the previous phase is used: there is no
 * threshold between degraded and failing, in either direction.
 */
export function findTransition(state: AlertState): Transition | null {
  const alerted = findAlertedPhase(state);
  const { phase } = state;
  if (alerted === phase) return null;
  if (phase === "calm") {
    const kind = alerted === "degraded" ? "ALERT_DEGRADED_RECOVERY" : "ALERT_RECOVERY";
    return { kind, reason: "recovered" };
  }
  if (phase === "no-data") return { kind: "ALERT_NO_DATA", reason: "no-data" };
  const from: Phase = alerted === "failing" || alerted === "degraded" ? alerted : state.cameFrom;
  if (phase === "failing") {
    return from === "degraded"
      ? { kind: "ALERT_DEGRADED_FAILURE", reason: "worsened" }
      : { kind: "ALERT_FAILURE", reason: "needs-threshold" };
  }
  return from === "failing"
    ? { kind: "ALERT_FAILURE_DEGRADED", reason: "improved" }
    : { kind: "ALERT_DEGRADED", reason: "needs-threshold" };
}

export type ThresholdVerdict =
  | {
      readonly isReached: true;
      readonly reason: "run-threshold-reached" | "time-threshold-reached";
    }
  | { readonly isReached: false; readonly reason: "below-run-threshold" | "below-time-threshold" };

export function decideThreshold(
  state: AlertState,
  atMs: number,
  rules: AlertRules,
): ThresholdVerdict {
  const { escalationType, runBasedEscalation } = rules.settings;
  if (escalationType === "RUN_BASED") {
    return state.failedRuns >= runBasedEscalation.failedRunThreshold
      ? { isReached: true, reason: "run-threshold-reached" }
      : { isReached: false, reason: "below-run-threshold" };
  }
  return atMs >= findThresholdDueMs(state, rules)
    ? { isReached: true, reason: "time-threshold-reached" }
    : { isReached: false, reason: "below-time-threshold" };
}

/** Returns when the threshold in minutes is reached. */
export function findThresholdDueMs(state: AlertState, rules: AlertRules): number {
  return state.sinceMs + rules.settings.timeBasedEscalation.minutesFailingThreshold * minuteMs;
}

/**
 * Ends damping once the phase has been stable for the whole window. Must be called before a new run
 * is observed, because the run may start a new phase.
 */
export function settleFlapping(state: AlertState, atMs: number, rules: AlertRules): AlertState {
  if (!state.isFlapping) return state;
  const { flapDamping } = rules;
  const isStable =
    flapDamping === null || atMs - state.sinceMs >= flapDamping.windowMinutes * minuteMs;
  return isStable ? { ...state, isFlapping: false, toldAtMs: [] } : state;
}

interface NotedChange {
  readonly toldAtMs: readonly number[];
  /** True for the last change that is sent before damping begins. */
  readonly isOneTooMany: boolean;
}

/** Records one more sent change. Keeps only as many times as the rules need. */
export function noteChange(state: AlertState, atMs: number, rules: AlertRules): NotedChange {
  const { flapDamping } = rules;
  if (flapDamping === null) return { toldAtMs: [], isOneTooMany: false };
  const windowMs = flapDamping.windowMinutes * minuteMs;
  const recent = state.toldAtMs.filter((sentMs) => atMs - sentMs < windowMs);
  const toldAtMs = [...recent, atMs].slice(-Math.max(1, flapDamping.transitions));
  return { toldAtMs, isOneTooMany: recent.length >= flapDamping.transitions };
}
