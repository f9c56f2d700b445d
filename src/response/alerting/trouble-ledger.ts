import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../platform/database.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import {
  type CheckTrouble,
  saveTroubles,
  type TroubleChange,
  type TroubleStatus,
} from "../incidents/index.ts";
import { type AlertRules, minuteMs } from "./alert-rules.ts";
import type { AlertState, Phase } from "./alert-state.ts";
import { decideThreshold, findThresholdDueMs } from "./alert-state.ts";
import { defaultAccountAlertSettings, findSilenceMinutes } from "./settings/settings-store.ts";

const statuses: Readonly<Record<Exclude<Phase, "calm">, TroubleStatus>> = {
  degraded: "degraded",
  failing: "failing",
  "no-data": "unknown",
};

/**
 * Returns the minutes after which missing data is shown on status pages. If no-data alerts are
 * disabled in the account, the default applies.
 */
function silenceMinutesOf(watched: Watched, rules: AlertRules): number {
  const usual = findSilenceMinutes(defaultAccountAlertSettings, watched);
  return rules.noDataMinutes ?? usual ?? Number.POSITIVE_INFINITY;
}

/**
 * Returns when a problem starts, never before the start of the previous problem. A failure that was
 * hidden by missing data starts when results arrive again.
 */
function findStartMs(trouble: Trouble, before: Trouble | null, state: AlertState): number {
  if (before === null || trouble.startedAtMs > before.startedAtMs) return trouble.startedAtMs;
  return Math.max(before.startedAtMs, state.heardAtMs);
}

/** Collects the problems that begin and end in a batch of decisions. */
export class TroubleLedger {
  readonly #stored: ReadonlyMap<string, CheckTrouble>;
  readonly #current = new Map<string, TroubleChange | CheckTrouble | null>();
  readonly #ended: { checkId: string; atMs: number }[] = [];
  readonly #begun: TroubleChange[] = [];

  constructor(stored: ReadonlyMap<string, CheckTrouble>) {
    this.#stored = stored;
  }

  #find(checkId: string): TroubleChange | CheckTrouble | null {
    const current = this.#current.get(checkId);
    return current === undefined ? (this.#stored.get(checkId) ?? null) : current;
  }

  note(
    watched: Watched,
    state: AlertState,
    rules: AlertRules,
    at: Pick<EvaluationTime, "nowMs" | "isTick">,
  ): void {
    const { checkId, sinceMs: changedAtMs } = watched;
    const before = this.#find(checkId);
    const silenceMinutes = silenceMinutesOf(watched, rules);
    const trouble = confirmTrouble(before, state, rules, { ...at, changedAtMs, silenceMinutes });
    if (trouble === before) return;
    const startMs = trouble === null ? null : findStartMs(trouble, before, state);
    const calmMs = before?.status === "unknown" ? state.heardAtMs : state.sinceMs;
    const endMs = startMs ?? (rules.activated ? calmMs : changedAtMs);
    if (before !== null) this.#end(before, Math.min(endMs, at.nowMs));
    const next =
      trouble === null || startMs === null
        ? null
        : this.#begin(watched, { status: trouble.status, startedAtMs: startMs });
    this.#current.set(checkId, next);
  }

  #begin({ checkId, accountId }: Watched, trouble: Trouble): TroubleChange {
    const change = { id: randomUUIDv7(), accountId, checkId, ...trouble, endedAtMs: null };
    this.#begun.push(change);
    return change;
  }

  #end(trouble: TroubleChange | CheckTrouble, atMs: number): void {
    const place = this.#begun.indexOf(trouble as TroubleChange);
    if (place < 0) {
      this.#ended.push({ checkId: trouble.checkId, atMs });
      return;
    }
    const endedAtMs = Math.max(atMs, trouble.startedAtMs);
    this.#begun[place] = { ...(trouble as TroubleChange), endedAtMs };
  }

  findNextMs(watched: Watched, state: AlertState, rules: AlertRules): number | null {
    const silenceMinutes = silenceMinutesOf(watched, rules);
    return findConfirmationMs(this.#find(watched.checkId), state, rules, silenceMinutes);
  }

  save(db: Database): Promise<void> {
    return saveTroubles(db, this.#ended, this.#begun);
  }
}

type Trouble = Pick<CheckTrouble, "status" | "startedAtMs">;

interface EvaluationTime {
  readonly nowMs: number;
  /** True if a tick caused the evaluation, false if a run did. Only ticks detect missing data. */
  readonly isTick: boolean;
  /** When the check was last changed. Runs before the change open no problem. */
  readonly changedAtMs: number;
  readonly silenceMinutes: number;
}

/**
 * Returns the problem that status pages show: what an alert would report, even if the alert is
 * held. Mutes, maintenance, a failing parent and flapping hold alerts, but the problem still
 * exists. A deactivated check has no problem.
 */
function confirmTrouble(
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
  // As for alerts, changes between degraded and failing need no threshold.
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
 * Whether the check has had no data for too long. Applies even if no-data alerts are disabled: a
 * status page must not show a check without data as operational.
 */
function isSilent(before: Trouble | null, state: AlertState, time: EvaluationTime): boolean {
  if (state.phase === "no-data") return false;
  if (before?.status === "unknown" && state.heardAtMs <= before.startedAtMs) return true;
  return time.isTick && time.nowMs >= findSilenceMs(state, time.silenceMinutes);
}

function findSilenceMs(state: AlertState, silenceMinutes: number): number {
  return state.heardAtMs + silenceMinutes * minuteMs;
}

/** Returns when the problem may next change without a run; `null` if only a run can change it. */
function findConfirmationMs(
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
    // While data is missing, `findSilenceMs` returns a time in the past, so that each tick
    // evaluates the check.
    findSilenceMs(state, silenceMinutes),
  ].filter((one) => one !== null);
  const soonestMs = Math.min(...times);
  return Number.isFinite(soonestMs) ? soonestMs : null;
}
