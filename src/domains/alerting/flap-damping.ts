import { type AlertRules, minuteMs } from "./alert-rules.ts";
import type { AlertState } from "./alert-state.ts";

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

export interface NotedChange {
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
