import {
  type AlertRules,
  findEscalationStartMs,
  findNextStageMs,
  findReminderDueMs,
  type HoldReason,
  isMutedUntilLater,
  listDueStages,
  minuteMs,
  orderStages,
  type StageProgress,
} from "./alert-rules.ts";

/** Phase of a check. "calm" means that the check passes; the other three phases are problems. */
export type Phase = "calm" | "degraded" | "failing" | "no-data";

export type RunVerdict = "passing" | "degraded" | "failing" | "unknown";

export type TroubleKind =
  | "ALERT_FAILURE"
  | "ALERT_DEGRADED"
  | "ALERT_DEGRADED_FAILURE"
  | "ALERT_FAILURE_DEGRADED"
  | "ALERT_NO_DATA";
export type RecoveryKind = "ALERT_RECOVERY" | "ALERT_DEGRADED_RECOVERY";
export type RemainKind = "ALERT_FAILURE_REMAIN" | "ALERT_DEGRADED_REMAIN";
/** Kinds of alerts about a check's state, which exclude certificate alerts and test messages. */
export type DecidedKind = TroubleKind | RecoveryKind | RemainKind;

export interface LocationVerdict {
  readonly verdict: RunVerdict;
  readonly atMs: number;
}

/** Alert state of a check, stored as JSON. Field names must therefore not change. */
export interface AlertState {
  /** Phase according to the newest runs, whether or not an alert reported the phase. */
  readonly phase: Phase;
  readonly sinceMs: number;
  /** The phase before the current phase. */
  readonly cameFrom: Phase;
  /** Number of consecutive runs in the phase. Parallel runs with equal due times count as one. */
  readonly failedRuns: number;
  readonly countedDueAtMs: number | null;
  readonly lastDueAtMs: number | null;
  readonly lastResultId: string | null;
  /** Start of the no-data timer: usually when the last run with a verdict became final. */
  readonly heardAtMs: number;
  /** Newest final verdict at each current location of the check. */
  readonly locations: Readonly<Record<string, LocationVerdict>>;
  /**
   * Reason to hold alerts at the newest counted run, other than a timed mute; `null` if there was
   * none. While a reason is set, only another run can cause an alert about the observed problem.
   * For example, a problem observed during maintenance must be observed again afterwards.
   */
  readonly heldReason: HoldReason | null;
  /**
   * True while a timed mute covers the problem, and after the mute until the next decision. Missing
   * in old stored states.
   */
  readonly isMuteHeld?: boolean;

  /** Kind of the last alert that was sent about the open problem; `null` if no alert is open. */
  readonly alertedKind: TroubleKind | null;
  /** Number of the problem. All alerts about it, including the recovery, have this number. */
  readonly alertNumber: number;
  readonly openedAtMs: number | null;
  /** When the problem of the open alert began; missing in old stored states. */
  readonly troubleStartedAtMs?: number | null;
  /** When the newest alert or reminder was sent. */
  readonly lastAlertAtMs: number | null;
  readonly remindersSent: number;
  readonly acknowledgedAtMs: number | null;
  /** Name of the person who acknowledged the alert; missing in old stored states. */
  readonly acknowledgedBy?: string | null;
  /** When the snooze ends; `null` or missing if the acknowledgement lasts until the recovery. */
  readonly snoozedUntilMs?: number | null;
  /** Number of escalation stages that the open alert has reached. */
  readonly escalationStage: number;
  /** When the escalation started, if not with the first alert; otherwise `null` or missing. */
  readonly escalatesFromMs?: number | null;
  /**
   * Escalation stage that is due immediately, because a page failed or a person requested the
   * stage. Ignored if the open alert has another number than `alertNumber`.
   */
  readonly hurry?: {
    readonly alertNumber: number;
    readonly stage: number;
    readonly reason: string;
    /** True if a person requested the stage, which then does not wait for support hours. */
    readonly isRequested?: true;
  } | null;
  /** Times of the most recent alerts about state changes, as many as flap damping needs. */
  readonly toldAtMs: readonly number[];
  readonly isFlapping: boolean;
}

/** Creates the state of a check without runs. The no-data timer starts at `atMs`. */
export function createAlertState(atMs: number): AlertState {
  return {
    phase: "calm",
    sinceMs: atMs,
    cameFrom: "calm",
    failedRuns: 0,
    countedDueAtMs: null,
    lastDueAtMs: null,
    lastResultId: null,
    heardAtMs: atMs,
    locations: {},
    heldReason: null,
    alertedKind: null,
    alertNumber: 0,
    openedAtMs: null,
    lastAlertAtMs: null,
    remindersSent: 0,
    acknowledgedAtMs: null,
    escalationStage: 0,
    toldAtMs: [],
    isFlapping: false,
  };
}

const alertedPhases: Readonly<Record<TroubleKind, Phase>> = {
  ALERT_FAILURE: "failing",
  ALERT_DEGRADED_FAILURE: "failing",
  ALERT_DEGRADED: "degraded",
  ALERT_FAILURE_DEGRADED: "degraded",
  ALERT_NO_DATA: "no-data",
};

export const remainKinds = {
  failing: "ALERT_FAILURE_REMAIN",
  degraded: "ALERT_DEGRADED_REMAIN",
  "no-data": "ALERT_NO_DATA",
} as const;

/** Returns the phase that the last alert reported; "calm" if no alert is open. */
export function findAlertedPhase(state: AlertState): Phase {
  return state.alertedKind === null ? "calm" : alertedPhases[state.alertedKind];
}

export function findStageProgress(state: AlertState): StageProgress {
  const { hurry, alertNumber, escalationStage: reached } = state;
  return { reached, hurriedTo: hurry?.alertNumber === alertNumber ? hurry.stage : 0 };
}

/** Whether the last alert reported a problem that still exists. */
export function isAlertCurrent(state: AlertState): boolean {
  return state.alertedKind !== null && findAlertedPhase(state) === state.phase;
}

/**
 * Stops reminders and escalation of the open alert until the check recovers. Has no effect if the
 * open alert has another number: a link in an old message must not silence a newer alert.
 */
export function acknowledgeAlert(
  state: AlertState,
  acknowledgement: { readonly alertNumber: number; readonly atMs: number; readonly by?: string },
): AlertState {
  const isOpen = state.alertedKind !== null && state.alertNumber === acknowledgement.alertNumber;
  const isSnoozed = state.snoozedUntilMs != null;
  if (!isOpen || (state.acknowledgedAtMs !== null && !isSnoozed)) return state;
  const { atMs, by = null } = acknowledgement;
  const ends = isSnoozed && { snoozedUntilMs: null };
  return { ...state, acknowledgedAtMs: atMs, acknowledgedBy: by, ...ends };
}

/** Snoozes the open alert. After the snooze, it is sent again and escalated from stage 1. */
export function snoozeAlert(
  state: AlertState,
  snooze: { readonly atMs: number; readonly untilMs: number; readonly by: string },
): AlertState {
  const { atMs, untilMs, by } = snooze;
  return { ...state, acknowledgedAtMs: atMs, acknowledgedBy: by, snoozedUntilMs: untilMs };
}

/** Whether the snooze has ended and the reported problem still exists. */
export function isSnoozeOver(state: AlertState, nowMs: number): boolean {
  return nowMs >= (state.snoozedUntilMs ?? Number.POSITIVE_INFINITY) && isAlertCurrent(state);
}

/** Removes the acknowledgement or snooze, so that reminders and escalation continue. */
export function reopenAlert(state: AlertState): AlertState {
  const isSnoozed = state.snoozedUntilMs != null;
  const reopened = { ...state, acknowledgedAtMs: null, acknowledgedBy: null };
  return isSnoozed ? { ...reopened, snoozedUntilMs: null } : reopened;
}

/** Restarts the escalation from stage 1, either now or when the support hours start. */
export function restartEscalation(
  state: AlertState,
  { nowMs, rules }: { readonly nowMs: number; readonly rules: AlertRules },
): AlertState {
  const { alertedKind: kind } = state;
  const escalatesFromMs = kind === null ? nowMs : findEscalationStartMs(rules, kind, nowMs);
  const elapsedMs = nowMs - escalatesFromMs;
  const due = listDueStages(rules.escalationStages, { reached: 0, hurriedTo: 0 }, elapsedMs);
  return { ...state, escalationStage: due.length, escalatesFromMs, hurry: null };
}

/** Makes the next escalation stage due immediately, and removes an acknowledgement. */
export function hurryNextStage(state: AlertState, reason: string): AlertState {
  const { alertNumber, escalationStage } = state;
  const hurry = { alertNumber, stage: escalationStage + 1, reason, isRequested: true } as const;
  return { ...reopenAlert(state), hurry };
}

/** Restarts the wait for the next stage, now or when the support hours start. */
export function postponeNextStage(
  state: AlertState,
  { nowMs, rules }: { readonly nowMs: number; readonly rules: AlertRules },
): AlertState {
  const stages = orderStages(rules.escalationStages);
  const reachedMinutes = stages[state.escalationStage - 1]?.afterMinutes ?? 0;
  const startMs = state.escalatesFromMs ?? nowMs;
  const escalatesFromMs = startMs > nowMs ? startMs : nowMs - reachedMinutes * minuteMs;
  return { ...reopenAlert(state), escalatesFromMs, hurry: null };
}

/** Returns when the phase began. For missing data, returns the start of the no-data timer. */
export function findStartMs(state: AlertState): number {
  return state.phase === "no-data" ? state.heardAtMs : state.sinceMs;
}

/** Restarts the no-data timer at the given time, unless the timer was started later. */
export function restartSilence(state: AlertState, atMs: number): AlertState {
  return { ...state, heardAtMs: Math.max(state.heardAtMs, atMs) };
}

/** Records whether a timed mute covers a problem, so that a decision follows when the mute ends. */
export function noteMute(state: AlertState, atMs: number, rules: AlertRules): AlertState {
  const { isMuteHeld = false } = state;
  const hasProblem = state.phase !== "calm" || state.alertedKind !== null;
  const isCovered = isMutedUntilLater(rules, atMs);
  // The end of an endless mute or of a deactivation makes no decision due.
  const isEndless = !isCovered && (rules.muted || !rules.activated);
  const isHeld = hasProblem && !isEndless && (isCovered || isMuteHeld);
  return isHeld === isMuteHeld ? state : { ...state, isMuteHeld: isHeld };
}

/** Whether a timed mute that covered a problem has ended, so that a decision is due. */
export function isMuteOver(state: AlertState, atMs: number, rules: AlertRules): boolean {
  return (state.isMuteHeld ?? false) && !isMutedUntilLater(rules, atMs);
}

export type ChangeReason =
  | "run-threshold-reached"
  | "time-threshold-reached"
  | "worsened"
  | "improved"
  | "no-data"
  | "recovered";

/** Kind and reason of the alert that reports the current phase. */
export type Transition =
  | { readonly kind: RecoveryKind; readonly reason: "recovered" }
  | { readonly kind: "ALERT_NO_DATA"; readonly reason: "no-data" }
  | { readonly kind: TroubleKind; readonly reason: "worsened" | "improved" }
  | { readonly kind: "ALERT_FAILURE" | "ALERT_DEGRADED"; readonly reason: "needs-threshold" };

/**
 * Returns the alert that reports the current phase; `null` if the phase was already reported. The
 * current phase is compared with the last reported phase, so that a held alert is sent as soon as
 * possible. A change between degraded and failing needs no threshold. The earlier phase of a change
 * is the last reported phase if that phase is failing or degraded, and otherwise the phase before
 * the current phase.
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

/**
 * Starts the escalation of a new alert, or of an alert that waits for support hours and became
 * urgent. Stages with 0 minutes are reached immediately.
 */
export function startEscalation(
  state: AlertState,
  { atMs, transition }: { readonly atMs: number; readonly transition: Transition },
  rules: AlertRules,
): Pick<AlertState, "escalationStage" | "escalatesFromMs"> {
  const { escalationStage, escalatesFromMs = null, acknowledgedAtMs } = state;
  const isOpening = state.alertedKind === null;
  const isWaiting = acknowledgedAtMs === null && escalatesFromMs !== null && escalatesFromMs > atMs;
  if (transition.reason === "recovered" || !(isOpening || isWaiting)) return { escalationStage };
  const fromMs = findEscalationStartMs(rules, transition.kind, atMs);
  if (fromMs > atMs) return { escalationStage, escalatesFromMs: fromMs };
  const due = listDueStages(rules.escalationStages, { reached: 0, hurriedTo: 0 }, 0);
  const reached = Math.max(escalationStage, due.length);
  return { escalationStage: reached, ...(isWaiting && { escalatesFromMs: atMs }) };
}

/** Returns the time from which the minutes of escalation stages count. */
export const findEscalationBaseMs = ({ escalatesFromMs, openedAtMs }: AlertState) =>
  escalatesFromMs ?? openedAtMs;

export function findNextReminderMs(state: AlertState, rules: AlertRules): number | null {
  if (!isAlertCurrent(state) || state.acknowledgedAtMs !== null) return null;
  return findReminderDueMs(rules.settings.reminders, state);
}

export function findNextEscalationMs(state: AlertState, rules: AlertRules): number | null {
  if (!isAlertCurrent(state) || state.acknowledgedAtMs !== null) return null;
  const progress = findStageProgress(state);
  const afterMs = findNextStageMs(rules.escalationStages, progress);
  const fromMs = findEscalationBaseMs(state);
  if (afterMs === null || fromMs === null) return null;
  const isNow = progress.hurriedTo > progress.reached && state.hurry?.isRequested;
  return isNow ? (state.openedAtMs ?? fromMs) : fromMs + afterMs;
}

export interface NextSteps {
  readonly reminderAtMs: number | null;
  /** Next escalation stage, counted from 1, and its due time; `null` if no stage is left. */
  readonly escalation: { readonly atMs: number; readonly stage: number } | null;
}

/** Returns when the next reminder and the next escalation stage are due. */
export function findNextSteps(state: AlertState, rules: AlertRules): NextSteps {
  const atMs = findNextEscalationMs(state, rules);
  return {
    reminderAtMs: findNextReminderMs(state, rules),
    escalation: atMs === null ? null : { atMs, stage: state.escalationStage + 1 },
  };
}

type ThresholdVerdict =
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

/** Returns when the phase has lasted as many minutes as the time-based threshold requires. */
export function findThresholdDueMs(state: AlertState, rules: AlertRules): number {
  return state.sinceMs + rules.settings.timeBasedEscalation.minutesFailingThreshold * minuteMs;
}

/**
 * Ends flap damping if the phase has been stable for the whole window. Must be called before a new
 * run is observed, because the run may start a new phase.
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
  /** True for the state change that starts flap damping. This change is still sent. */
  readonly isOneTooMany: boolean;
}

/** Records a sent state change. Keeps only as many times as flap damping needs. */
export function noteChange(state: AlertState, atMs: number, rules: AlertRules): NotedChange {
  const { flapDamping } = rules;
  if (flapDamping === null) return { toldAtMs: [], isOneTooMany: false };
  const windowMs = flapDamping.windowMinutes * minuteMs;
  const recent = state.toldAtMs.filter((sentMs) => atMs - sentMs < windowMs);
  const toldAtMs = [...recent, atMs].slice(-Math.max(1, flapDamping.transitions));
  return { toldAtMs, isOneTooMany: recent.length >= flapDamping.transitions };
}
