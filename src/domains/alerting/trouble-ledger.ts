import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../platform/database.ts";
import { type CheckTrouble, saveTroubles, type TroubleChange } from "../runs/index.ts";
import type { Watched } from "../schedule/index.ts";
import type { AlertRules } from "./alert-rules.ts";
import type { AlertState } from "./alert-state.ts";
import {
  confirmTrouble,
  type EvaluationTime,
  findConfirmationMs,
  type Trouble,
} from "./confirmed-trouble.ts";
import {
  defaultAccountAlertSettings,
  findSilenceMinutes,
} from "./settings/account-alert-settings.ts";

/**
 * If the account has no-data alerts disabled, pages still show missing data after the default time.
 */
function silenceMinutesOf(watched: Watched, rules: AlertRules): number {
  const usual = findSilenceMinutes(defaultAccountAlertSettings, watched);
  return rules.noDataMinutes ?? usual ?? Number.POSITIVE_INFINITY;
}

/**
 * Problems start in order: one that was hidden by missing data starts when results arrive again.
 */
function findStartMs(trouble: Trouble, before: Trouble | null, state: AlertState): number {
  if (before === null || trouble.startedAtMs > before.startedAtMs) return trouble.startedAtMs;
  return Math.max(before.startedAtMs, state.heardAtMs);
}

/** Collects the problems that begin and end within a batch of decisions. */
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
