import type { CheckTrouble, TroubleStatus } from "../runs/index.ts";
import { type AlertRules, minuteMs } from "./alert-rules.ts";
import type { AlertState, Phase } from "./alert-state.ts";
import { decideThreshold, findThresholdDueMs } from "./transition.ts";

/** What is wrong with a check according to its alert rules. */
export type Trouble = Pick<CheckTrouble, "status" | "startedAtMs">;

export interface Moment {
  readonly nowMs: number;
  /** Silence is detected by ticks only. */
  readonly isTick: boolean;
  /** When the check was last changed. Runs before that open no trouble. */
  readonly changedAtMs: number;
  readonly silenceMinutes: number;
}

const statuses: Readonly<Record<Exclude<Phase, "calm">, TroubleStatus>> = {
  degraded: "degraded",
  failing: "failing",
  "no-data": "unknown",
};

/**
 * The state that public pages show: what an alert would report, whether or not it may be sent.
 * Muting, maintenance, a failing parent and flapping hold alerts; they do not make a check pass. A
 * check that is switched off is never in trouble.
 */
export function confirmTrouble(
  before: Trouble | null,
  state: AlertState,
  rules: AlertRules,
  moment: Moment,
): Trouble | null {
  if (!rules.activated) return null;
  if (isSilent(before, state, moment)) {
    return before?.status === "unknown" ? before : begin("no-data", state.heardAtMs);
  }
  const { phase } = state;
  if (phase === "calm") return null;
  if (before?.status === statuses[phase]) return before;
  if (phase === "no-data") return begin(phase, state.heardAtMs);
  // As for alerts: there is no threshold between degraded and failing.
  const isTroubled = before?.status === "failing" || before?.status === "degraded";
  const wasTroubled = state.cameFrom === "failing" || state.cameFrom === "degraded";
  if (isTroubled || (before === null && wasTroubled)) return begin(phase, state.sinceMs);
  const isSeenAsItIs = (state.lastDueAtMs ?? 0) >= moment.changedAtMs;
  const isReached = decideThreshold(state, moment.nowMs, rules).isReached;
  return isReached && isSeenAsItIs ? begin(phase, state.sinceMs) : before;
}

function begin(phase: Exclude<Phase, "calm">, startedAtMs: number): Trouble {
  return { status: statuses[phase], startedAtMs };
}

/** Also if the account wants no such alerts: a page must not show it as operational. */
function isSilent(before: Trouble | null, state: AlertState, moment: Moment): boolean {
  if (state.phase === "no-data") return false;
  if (before?.status === "unknown" && state.heardAtMs <= before.startedAtMs) return true;
  return moment.isTick && moment.nowMs >= findSilenceMs(state, moment.silenceMinutes);
}

function findSilenceMs(state: AlertState, silenceMinutes: number): number {
  return state.heardAtMs + silenceMinutes * minuteMs;
}

/** When the trouble may change without a run; null when only a run can change it. */
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
  const moments = [
    isWaiting && isTimed && !isOpen ? findThresholdDueMs(state, rules) : null,
    // In the past while the silence lasts: it is checked again until the check is switched off.
    findSilenceMs(state, silenceMinutes),
  ].filter((one) => one !== null);
  const soonestMs = Math.min(...moments);
  return Number.isFinite(soonestMs) ? soonestMs : null;
}
