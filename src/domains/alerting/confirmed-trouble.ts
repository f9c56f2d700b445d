import type { CheckTrouble, TroubleStatus } from "../runs/index.ts";
import { type AlertRules, minuteMs } from "./alert-rules.ts";
import type { AlertState, Phase } from "./alert-state.ts";
import { decideThreshold, findThresholdDueMs } from "./transition.ts";

/** The problem of a check according to its alert rules. */
export type Trouble = Pick<CheckTrouble, "status" | "startedAtMs">;

export interface EvaluationTime {
  readonly nowMs: number;
  /** Missing data is detected by ticks only. */
  readonly isTick: boolean;
  /** When the check was last changed. Earlier runs open no problem. */
  readonly changedAtMs: number;
  readonly silenceMinutes: number;
}

const statuses: Readonly<Record<Exclude<Phase, "calm">, TroubleStatus>> = {
  degraded: "degraded",
  failing: "failing",
  "no-data": "unknown",
};

/**
 * Returns the problem that public pages show: what an alert would report, whether or not it may be
 * sent. Muting, maintenance, a failing parent and flapping hold alerts but do not make a check
 * pass. A deactivated check has no problem.
 */
export function confirmTrouble(
  before: Trouble | null,
  state: AlertState,
  rules: AlertRules,
  time: EvaluationTime,
): Trouble | null {
  if (!rules.activated) return null;
  if (isSilent(before, state, time)) {
    return before?.status === "unknown" ? before : begin("no-data", state.heardAtMs);
  }
  const { phase } = state;
  if (phase === "calm") return null;
  if (before?.status === statuses[phase]) return before;
  if (phase === "no-data") return begin(phase, state.heardAtMs);
  // As for alerts, there is no threshold between degraded and failing.
  const isTroubled = before?.status === "failing" || before?.status === "degraded";
  const wasTroubled = state.cameFrom === "failing" || state.cameFrom === "degraded";
  if (isTroubled || (before === null && wasTroubled)) return begin(phase, state.sinceMs);
  const isSeenAsItIs = (state.lastDueAtMs ?? 0) >= time.changedAtMs;
  const isReached = decideThreshold(state, time.nowMs, rules).isReached;
  return isReached && isSeenAsItIs ? begin(phase, state.sinceMs) : before;
}

function begin(phase: Exclude<Phase, "calm">, startedAtMs: number): Trouble {
  return { status: statuses[phase], startedAtMs };
}

/**
 * Applies even if the account has no-data alerts disabled: a page must not show such a check as
 * operational.
 */
function isSilent(before: Trouble | null, state: AlertState, time: EvaluationTime): boolean {
  if (state.phase === "no-data") return false;
  if (before?.status === "unknown" && state.heardAtMs <= before.startedAtMs) return true;
  return time.isTick && time.nowMs >= findSilenceMs(state, time.silenceMinutes);
}

function findSilenceMs(state: AlertState, silenceMinutes: number): number {
  return state.heardAtMs + silenceMinutes * minuteMs;
}

/** Returns when the problem may change without a run; `null` if only a run can change it. */
export function findConfirmationMs(
  trouble: Trouble | null,
  state: AlertState,
  rules: AlertRules,
  silenceMinutes: number,
): number | null {
  if (!rules.activated) return null;
  const isWaiting = state.phase === "failing" || state.phase === "degraded";
  const isTimed = rules.settings.escalationType === "TIME_BASED";
  const isOpen = trouble !== null && trouble.status !== "unknown";
  const times = [
    isWaiting && isTimed && !isOpen ? findThresholdDueMs(state, rules) : null,
    // In the past while data is missing, so that each tick evaluates it until the check is
    // deactivated.
    findSilenceMs(state, silenceMinutes),
  ].filter((one) => one !== null);
  const soonestMs = Math.min(...times);
  return Number.isFinite(soonestMs) ? soonestMs : null;
}
