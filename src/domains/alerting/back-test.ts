import {
  type Alert,
  type AlertReason,
  type Decision,
  decideOnRun,
  decideOnTime,
  findNextTickMs,
} from "./alert-decision.ts";
import { type AlertRules, minuteMs } from "./alert-rules.ts";
import { type AlertState, createAlertState, type DecidedKind } from "./alert-state.ts";
import { type FinalRun, findDecisionMs } from "./observation.ts";

/** What held around the check at some moment of its history. */
export type Circumstances = Partial<
  Pick<AlertRules, "muted" | "activated" | "heldByParent" | "probeIsSuspect">
>;

export interface BackTestOptions {
  readonly startsAtMs: number;
  /** Time goes on after the last run until here. */
  readonly endsAtMs: number;
  /** The run is null for a tick of time. Left out: what the rules say holds throughout. */
  readonly circumstancesAt?: (atMs: number, run: FinalRun | null) => Circumstances;
  /** Endless reminders over a long history would fill the memory. */
  readonly maxAlerts?: number;
}

export interface BackTestAlert {
  readonly kind: DecidedKind;
  readonly atMs: number;
  readonly reason: AlertReason;
  readonly resultId: string | null;
  /** From the beginning of the trouble to the alert; null for what tells of no new trouble. */
  readonly minutesToDetect: number | null;
  readonly alertNumber: number;
  readonly isReminder: boolean;
}

export interface BackTest {
  readonly alerts: readonly BackTestAlert[];
  /** The limits were reached before the end of the history. */
  readonly isTruncated: boolean;
}

const defaultMaxAlerts = 10_000;
const maxTicks = 1_000_000;
/** What is due but held is asked for again after so long, as a live clock would. */
const heldTickMs = minuteMs;

/**
 * The same decisions as live, with a tick of time at each moment at which one has something to
 * decide. A run and a tick at the same moment: the run goes first, so that nobody is reminded of
 * a trouble that is over.
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

  /** Ticks all that is due before the moment. False when a limit is reached. */
  passTime(untilMs: number): boolean {
    let notBeforeMs = this.#cursorMs;
    while (!this.#isFull()) {
      const { activated } = this.#rulesAt(notBeforeMs, null);
      // While a check is off its silence starts again and again, which takes ticks.
      const dueMs = activated ? findNextTickMs(this.#state, this.#rules) : notBeforeMs;
      const tickMs = dueMs === null ? untilMs : Math.max(dueMs, notBeforeMs);
      if (tickMs >= untilMs) {
        this.#cursorMs = Math.max(this.#cursorMs, untilMs);
        return true;
      }
      const { state, decisions } = decideOnTime(this.#state, tickMs, this.#rulesAt(tickMs, null));
      this.#state = state;
      this.#ticks += 1;
      const isTold = decisions.some((decision) => decision.kind !== "NO_ALERT");
      notBeforeMs = isTold ? tickMs : tickMs + heldTickMs;
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
    const minutesToDetect = tellsNewTrouble(decision)
      ? (atMs - decision.startedAtMs) / minuteMs
      : null;
    const alert = { kind, atMs, reason, resultId, minutesToDetect, alertNumber, isReminder };
    this.#alerts.push(alert);
  }
}

function tellsNewTrouble(alert: Alert): boolean {
  const isRecovery = alert.kind === "ALERT_RECOVERY" || alert.kind === "ALERT_DEGRADED_RECOVERY";
  return !isRecovery && !alert.isReminder && alert.onlyChannelIds === null;
}
