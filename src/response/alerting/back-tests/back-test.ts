import {
  type Alert,
  type AlertReason,
  type Decision,
  decideOnRun,
  decideOnTime,
  findNextTickMs,
} from "../alert-decision.ts";
import { type AlertRules, minuteMs } from "../alert-rules.ts";
import { type AlertState, createAlertState, type DecidedKind } from "../alert-state.ts";
import { type FinalRun, findDecisionMs } from "../observation.ts";

/**
 * Values of alert rules that may change during the history. For example, a check may be muted for
 * some of the time.
 */
export type Circumstances = Partial<
  Pick<AlertRules, "muted" | "activated" | "heldByParent" | "probeIsSuspect">
>;

export interface BackTestOptions {
  readonly startsAtMs: number;
  /** End of the replayed period, which may be later than the last run. */
  readonly endsAtMs: number;
  /**
   * Returns the values that replace those of the alert rules at a time of the history. `run` is the
   * run that is evaluated at this time; `null` if a decision is due without a run. By default, no
   * values are replaced.
   */
  readonly circumstancesAt?: (atMs: number, run: FinalRun | null) => Circumstances;
  /** Maximum number of alerts. Limits memory use if reminders are unlimited. */
  readonly maxAlerts?: number;
}

export interface BackTestAlert {
  readonly kind: DecidedKind;
  readonly atMs: number;
  readonly reason: AlertReason;
  readonly resultId: string | null;
  /** Minutes from the start of the problem to the alert; `null` if no new problem is reported. */
  readonly minutesToDetect: number | null;
  readonly alertNumber: number;
  readonly isReminder: boolean;
}

export interface BackTest {
  readonly alerts: readonly BackTestAlert[];
  /** True if the limit of alerts or ticks was reached before the end of the history. */
  readonly isTruncated: boolean;
}

const defaultMaxAlerts = 10_000;
const maxTicks = 1_000_000;
/** Interval at which a held alert is evaluated again, equal to that of real alerts. */
const heldTickMs = minuteMs;

/**
 * Replays a history with the decision functions of real alerts. A tick is replayed at each time
 * when a decision is due. If a run and a tick coincide, the run is evaluated first, so that no
 * reminder is sent for a problem that has ended.
 */
export function runBackTest(
  finalRuns: readonly FinalRun[],
  rules: AlertRules,
  options: BackTestOptions,
): BackTest {
  const replay = new Replay(rules, options);
  for (const run of finalRuns) {
    const atMs = findDecisionMs(run);
    if (atMs > options.endsAtMs) continue;
    if (!replay.passTime(atMs)) break;
    replay.takeRun(run);
  }
  replay.passTime(options.endsAtMs + 1);
  return replay.finish();
}

class Replay {
  readonly #rules: AlertRules;
  readonly #options: BackTestOptions;
  readonly #alerts: BackTestAlert[] = [];
  #state: AlertState;
  #cursorMs: number;
  #ticks = 0;

  constructor(rules: AlertRules, options: BackTestOptions) {
    this.#rules = rules;
    this.#options = options;
    this.#state = createAlertState(options.startsAtMs);
    this.#cursorMs = options.startsAtMs;
  }

  /** Replays all ticks before the given time. Returns false if a limit is reached. */
  passTime(untilMs: number): boolean {
    let notBeforeMs = this.#cursorMs;
    while (!this.#isFull()) {
      const { activated } = this.#rulesAt(notBeforeMs, null);
      // Each tick of a deactivated check restarts the no-data timer.
      const dueMs = activated ? findNextTickMs(this.#state, this.#rules) : notBeforeMs;
      const tickMs = dueMs === null ? untilMs : Math.max(dueMs, notBeforeMs);
      if (tickMs >= untilMs) {
        this.#cursorMs = Math.max(this.#cursorMs, untilMs);
        return true;
      }
      const { state, decisions } = decideOnTime(this.#state, tickMs, this.#rulesAt(tickMs, null));
      this.#state = state;
      this.#ticks += 1;
      const isNotified = decisions.some((decision) => decision.kind !== "NO_ALERT");
      notBeforeMs = isNotified ? tickMs : tickMs + heldTickMs;
      for (const decision of decisions) this.#note(decision);
    }
    return false;
  }

  takeRun(run: FinalRun): void {
    const rules = this.#rulesAt(findDecisionMs(run), run);
    const { state, decision } = decideOnRun(this.#state, run, rules);
    this.#state = state;
    this.#note(decision);
  }

  finish(): BackTest {
    const { maxAlerts = defaultMaxAlerts } = this.#options;
    return { alerts: this.#alerts.slice(0, maxAlerts), isTruncated: this.#isFull() };
  }

  #isFull(): boolean {
    const { maxAlerts = defaultMaxAlerts } = this.#options;
    return this.#alerts.length > maxAlerts || this.#ticks >= maxTicks;
  }

  #rulesAt(atMs: number, run: FinalRun | null): AlertRules {
    const { circumstancesAt } = this.#options;
    if (circumstancesAt === undefined) return this.#rules;
    return { ...this.#rules, ...circumstancesAt(atMs, run) };
  }

  #note(decision: Decision): void {
    if (decision.kind === "NO_ALERT") return;
    const { kind, atMs, reason, resultId, alertNumber, isReminder } = decision;
    const minutesToDetect = reportsNewProblem(decision)
      ? (atMs - decision.startedAtMs) / minuteMs
      : null;
    const alert = { kind, atMs, reason, resultId, minutesToDetect, alertNumber, isReminder };
    this.#alerts.push(alert);
  }
}

function reportsNewProblem(alert: Alert): boolean {
  const isRecovery = alert.kind === "ALERT_RECOVERY" || alert.kind === "ALERT_DEGRADED_RECOVERY";
  return !isRecovery && !alert.isReminder && alert.onlyChannelIds === null;
}
