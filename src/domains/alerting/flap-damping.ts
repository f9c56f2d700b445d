import { type AlertRules, minuteMs } from "./alert-rules.ts";
import type { AlertState } from "./alert-state.ts";

/**
 * Ends the quiet once the phase has stayed the same for the whole window. It is asked before
 * anything new is observed: a long calm must not be forgotten because of the run that ends it.
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
  /** This change is one too many: it is the last that is told before the quiet. */
  readonly isOneTooMany: boolean;
}

/** Notes one more told change. Only as many are kept as the rules can ask for. */
export function noteChange(state: AlertState, atMs: number, rules: AlertRules): NotedChange {
  const { flapDamping } = rules;
  if (flapDamping === null) return { toldAtMs: [], isOneTooMany: false };
  const windowMs = flapDamping.windowMinutes * minuteMs;
  const recent = state.toldAtMs.filter((toldMs) => atMs - toldMs < windowMs);
  const toldAtMs = [...recent, atMs].slice(-Math.max(1, flapDamping.transitions));
  return { toldAtMs, isOneTooMany: recent.length >= flapDamping.transitions };
}
