import { type AlertRules, findHold, type HoldReason, listDueStages } from "./alert-rules.ts";
import {
  type AlertState,
  type ChangeReason,
  type DecidedKind,
  decideThreshold,
  findAlertedPhase,
  findEscalationBaseMs,
  findNextEscalationMs,
  findNextReminderMs,
  findStageProgress,
  findStartMs,
  findThresholdDueMs,
  findTransition,
  isAlertCurrent,
  isMuteOver,
  isSnoozeOver,
  noteChange,
  noteMute,
  remainKinds,
  reopenAlert,
  restartEscalation,
  settleFlapping,
  startEscalation,
  type Transition,
  type TroubleKind,
} from "./alert-state.ts";
import {
  type FinalRun,
  findDecisionMs,
  findSilenceDueMs,
  type Observation,
  observeRun,
  observeSilence,
} from "./observation.ts";

export type AlertReason =
  | ChangeReason
  | "flapping-began"
  | "reminder-due"
  | "mute-ended"
  | "snooze-ended"
  | "escalation-stage-due";

export type QuietReason =
  | HoldReason
  | Exclude<Observation, "counted">
  | "below-run-threshold"
  | "below-time-threshold"
  | "already-alerted"
  | "no-change";

export interface Alert {
  readonly kind: DecidedKind;
  readonly reason: AlertReason;
  readonly atMs: number;
  /** When the reported state began. For missing data, the start of the no-data timer. */
  readonly startedAtMs: number;
  /** When the problem began, if the alert is a recovery; `null` for other alerts. */
  readonly troubleStartedAtMs: number | null;
  /** Id of the newest run with a verdict; `null` if no run has a verdict. */
  readonly resultId: string | null;
  /** Number of the problem. All alerts about it, including the recovery, have this number. */
  readonly alertNumber: number;
  readonly isReminder: boolean;
  /** Number of the reminder, counted from 1; 0 if the alert is not a reminder. */
  readonly reminderSequence: number;
  /** True if flap damping starts. Further alerts are held until the check is stable. */
  readonly isFlapping: boolean;
  /** Number of escalation stages reached, including the stage that this alert belongs to. */
  readonly escalationStage: number;
  /**
   * Ids of the channels of an escalation stage, if only this stage receives the alert. If `null`,
   * the channels of the check and of all reached stages receive the alert.
   */
  readonly onlyChannelIds: readonly number[] | null;
}

export interface NoAlert {
  readonly kind: "NO_ALERT";
  readonly reason: QuietReason;
  readonly atMs: number;
  readonly resultId: string | null;
  /** Kind of the alert that was held; `null` if no alert was due. */
  readonly heldKind: DecidedKind | null;
  /** Id of the failing parent check; `null` if the alert is held for another reason. */
  readonly parentId: string | null;
}

export type Decision = Alert | NoAlert;

export interface RunDecision {
  readonly state: AlertState;
  readonly decision: Decision;
}

export interface TimeDecisions {
  readonly state: AlertState;
  /**
   * Decisions that are due without a new run; may be empty. While an alert is held, each evaluation
   * without a new run decides again whether to send the alert.
   */
  readonly decisions: readonly Decision[];
}

/**
 * Decides whether a run causes an alert. The result of the run must be final, so that no retry
 * follows. Runs must be passed in the order in which their results became final.
 */
export function decideOnRun(state: AlertState, run: FinalRun, rules: AlertRules): RunDecision {
  const atMs = findDecisionMs(run);
  const settled = settleFlapping(state, atMs, rules);
  const { state: observed, observation } = observeRun(settled, run, rules);
  const quiet = (reason: QuietReason): NoAlert => ({
    kind: "NO_ALERT",
    reason,
    atMs,
    resultId: run.resultId,
    heldKind: null,
    parentId: null,
  });
  if (observation !== "counted" && observation !== "below-location-share") {
    return { state: observed, decision: quiet(observation) };
  }
  // Check both times: a run may be due inside a maintenance window but become final after the
  // window.
  const times = [run.dueAtMs, atMs];
  const hold = findHold(rules, times);
  const heldReason = findHold({ ...rules, timedMute: null }, times);
  const next = noteMute({ ...observed, heldReason }, atMs, rules);
  const transition = findTransition(next);
  if (transition === null) {
    if (isMuteOver(next, atMs, rules) && hold === null && !next.isFlapping) {
      return remind(next, "mute-ended", atMs);
    }
    const isCalm = next.phase === "calm";
    const unchanged = observation === "counted" ? ("no-change" as const) : observation;
    return { state: next, decision: quiet(isCalm ? unchanged : "already-alerted") };
  }
  if (transition.reason !== "needs-threshold") {
    return sendOrHold(next, { transition, reason: transition.reason, atMs, hold }, rules);
  }
  const threshold = decideThreshold(next, atMs, rules);
  const idle = settleMute(next, atMs, rules);
  if (!threshold.isReached) return { state: idle, decision: quiet(threshold.reason) };
  return sendOrHold(next, { transition, reason: threshold.reason, atMs, hold }, rules);
}

/** Decides on alerts, reminders and escalations that are due without a new run. */
export function decideOnTime(state: AlertState, nowMs: number, rules: AlertRules): TimeDecisions {
  const settled = observeSilence(settleFlapping(state, nowMs, rules), nowMs, rules);
  const observed = noteMute(settled, nowMs, rules);
  const change = decideChangeOnTime(observed, nowMs, rules);
  const isWaiting = rules.isCatchingUp === true || findTransition(observed) === null;
  const next = change?.state ?? (isWaiting ? observed : settleMute(observed, nowMs, rules));
  const repeated = repeatOnTime(next, nowMs, rules);
  const first = change === null ? [] : [change.decision];
  return { state: repeated.state, decisions: [...first, ...repeated.decisions] };
}

/**
 * Returns the time of the next tick, so that the server does not have to poll every check. The time
 * is in the past if an alert is due but held. Returns `null` if only a run can change the state.
 */
export function findNextTickMs(state: AlertState, rules: AlertRules): number | null {
  const transition = findTransition(state);
  const times = [
    findSilenceDueMs(state, rules),
    transition?.reason === "no-data" || transition?.reason === "recovered" ? state.sinceMs : null,
    transition !== null && isTimeBased(transition, rules) ? findThresholdDueMs(state, rules) : null,
    findNextReminderMs(state, rules),
    findNextEscalationMs(state, rules),
    isAlertCurrent(state) ? (state.snoozedUntilMs ?? null) : null,
    state.isMuteHeld ? (rules.timedMute?.untilMs ?? state.sinceMs) : null,
  ].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

function isTimeBased(transition: Transition, rules: AlertRules): boolean {
  return transition.reason === "needs-threshold" && rules.settings.escalationType === "TIME_BASED";
}

function decideChangeOnTime(
  state: AlertState,
  nowMs: number,
  rules: AlertRules,
): RunDecision | null {
  const transition = findTransition(state);
  if (transition === null) return null;
  const hold = findHold(rules, [nowMs]);
  const change = { transition, atMs: nowMs, hold };
  const { reason } = transition;
  // Send the alert now instead of waiting for another run, which may never come.
  if (reason === "no-data" || reason === "recovered") {
    const isNotified = reason === "no-data" && rules.isLocationSilent === true;
    const effectiveHold = hold ?? (isNotified ? ("location-silent" as const) : null);
    return sendOrHold(state, { ...change, hold: effectiveHold, reason }, rules);
  }
  const isReleased = isMuteOver(state, nowMs, rules);
  if (isReleased && rules.isCatchingUp) return null;
  const seen = { ...change, hold: hold ?? state.heldReason };
  if (reason !== "needs-threshold") {
    return isReleased ? sendOrHold(state, { ...seen, reason }, rules) : null;
  }
  if (!isReleased && !isTimeBased(transition, rules)) return null;
  const threshold = decideThreshold(state, nowMs, rules);
  if (!threshold.isReached) return null;
  return sendOrHold(state, { ...seen, reason: threshold.reason }, rules);
}

/** Clears `isMuteHeld`, which marks a problem under a timed mute, if that mute has ended. */
function settleMute(state: AlertState, atMs: number, rules: AlertRules): AlertState {
  return isMuteOver(state, atMs, rules) ? { ...state, isMuteHeld: false } : state;
}

interface Change {
  readonly transition: Transition;
  readonly reason: ChangeReason;
  readonly atMs: number;
  readonly hold: HoldReason | null;
}

/** Sends or holds an alert. Maintenance and failing parents do not hold a recovery. */
function sendOrHold(state: AlertState, change: Change, rules: AlertRules): RunDecision {
  const isRecovery = change.reason === "recovered";
  const isPassable = change.hold === "in-maintenance" || change.hold === "held-by-parent";
  const hold = isRecovery && isPassable ? null : change.hold;
  const reason = hold ?? (state.isFlapping ? "flapping" : null);
  if (reason === null) return send(state, change, rules);
  const { atMs, transition } = change;
  return { state, decision: holdBack(state, { reason, atMs, kind: transition.kind }, rules) };
}

function holdBack(
  state: AlertState,
  held: { readonly reason: HoldReason; readonly atMs: number; readonly kind: DecidedKind },
  rules: AlertRules,
): NoAlert {
  return {
    kind: "NO_ALERT",
    reason: held.reason,
    atMs: held.atMs,
    resultId: state.lastResultId,
    heldKind: held.kind,
    parentId: held.reason === "held-by-parent" ? rules.heldByParent : null,
  };
}

function send(state: AlertState, change: Change, rules: AlertRules): RunDecision {
  const { atMs, transition } = change;
  const { toldAtMs, isOneTooMany } = noteChange(state, atMs, rules);
  const isOpening = state.alertedKind === null;
  const alertNumber = isOpening ? state.alertNumber + 1 : state.alertNumber;
  const told = { toldAtMs, isFlapping: isOneTooMany, alertNumber, remindersSent: 0 };
  const escalation = startEscalation(state, change, rules);
  const { escalationStage } = escalation;
  const noted = { ...settleMute(state, atMs, rules), ...told, ...escalation };
  const next: AlertState =
    transition.reason === "recovered"
      ? {
          ...noted,
          alertedKind: null,
          openedAtMs: null,
          troubleStartedAtMs: null,
          lastAlertAtMs: atMs,
          acknowledgedAtMs: null,
          acknowledgedBy: null,
          ...(state.snoozedUntilMs != null && { snoozedUntilMs: null }),
          ...(state.escalatesFromMs != null && { escalatesFromMs: null }),
          escalationStage: 0,
        }
      : {
          ...noted,
          alertedKind: transition.kind,
          openedAtMs: isOpening ? atMs : state.openedAtMs,
          troubleStartedAtMs: isOpening ? findStartMs(state) : (state.troubleStartedAtMs ?? null),
          lastAlertAtMs: atMs,
        };
  const decision: Alert = {
    kind: transition.kind,
    reason: isOneTooMany ? "flapping-began" : change.reason,
    atMs,
    startedAtMs: findStartMs(state),
    troubleStartedAtMs:
      transition.reason === "recovered" ? (state.troubleStartedAtMs ?? state.openedAtMs) : null,
    resultId: state.lastResultId,
    alertNumber,
    isReminder: false,
    reminderSequence: 0,
    isFlapping: isOneTooMany,
    escalationStage,
    onlyChannelIds: null,
  };
  return { state: next, decision };
}

/**
 * Sends due reminders and escalations. Reminders come first, because the channels of a new
 * escalation stage receive the alert itself and need no reminder.
 */
function repeatOnTime(state: AlertState, nowMs: number, rules: AlertRules): TimeDecisions {
  const alerted = findAlertedPhase(state);
  const reminderMs = findNextReminderMs(state, rules);
  const escalationMs = findNextEscalationMs(state, rules);
  const isUnmuted = isMuteOver(state, nowMs, rules) && isAlertCurrent(state) && !rules.isCatchingUp;
  const isUnsnoozed = isSnoozeOver(state, nowMs);
  const isReminderDue = isUnmuted || isUnsnoozed || (reminderMs !== null && nowMs >= reminderMs);
  const isEscalationDue = escalationMs !== null && nowMs >= escalationMs;
  if (alerted === "calm" || state.alertedKind === null || !(isReminderDue || isEscalationDue)) {
    return { state, decisions: [] };
  }
  const kind = isReminderDue ? remainKinds[alerted] : state.alertedKind;
  const hold = findHold(rules, [nowMs]) ?? state.heldReason;
  const reason = hold ?? (state.isFlapping ? "flapping" : null);
  if (reason !== null) {
    return { state, decisions: [holdBack(state, { reason, atMs: nowMs, kind }, rules)] };
  }
  if (isUnsnoozed) {
    const reopened = restartEscalation(reopenAlert(state), { nowMs, rules });
    const { state: next, decision } = remind(reopened, "snooze-ended", nowMs);
    return { state: next, decisions: [decision] };
  }
  const why = isUnmuted ? "mute-ended" : "reminder-due";
  const reminded = isReminderDue ? remind(state, why, nowMs) : null;
  const next = reminded?.state ?? state;
  const first = reminded === null ? [] : [reminded.decision];
  if (!isEscalationDue) return { state: next, decisions: first };
  const escalated = escalate(next, state.alertedKind, { nowMs, rules });
  return { state: escalated.state, decisions: [...first, ...escalated.decisions] };
}

/** Repeats the open alert. When a mute ends, an acknowledged alert is repeated too. */
function remind(
  state: AlertState,
  reason: "reminder-due" | "mute-ended" | "snooze-ended",
  nowMs: number,
): RunDecision {
  const remindersSent = state.remindersSent + 1;
  const isMuteHeld = reason === "reminder-due" && state.isMuteHeld === true;
  const next = { ...state, remindersSent, isMuteHeld, lastAlertAtMs: nowMs };
  const alerted = findAlertedPhase(state);
  const decision: Alert = {
    ...describeRepeat(state, nowMs),
    kind: alerted === "calm" ? "ALERT_NO_DATA" : remainKinds[alerted],
    reason,
    isReminder: true,
    reminderSequence: remindersSent,
  };
  return { state: next, decision };
}

/**
 * Sends the open alert to the stages that are due. The alert is not marked as a reminder, because
 * the channels of these stages have not received it yet.
 */
function escalate(
  state: AlertState,
  kind: TroubleKind,
  now: { readonly nowMs: number; readonly rules: AlertRules },
): TimeDecisions {
  const elapsedMs = now.nowMs - (findEscalationBaseMs(state) ?? now.nowMs);
  const due = listDueStages(now.rules.escalationStages, findStageProgress(state), elapsedMs);
  const decisions = due.map(
    (stage, index): Alert => ({
      ...describeRepeat(state, now.nowMs),
      kind,
      reason: "escalation-stage-due",
      escalationStage: state.escalationStage + index + 1,
      onlyChannelIds: stage.channelIds,
    }),
  );
  return { state: { ...state, escalationStage: state.escalationStage + due.length }, decisions };
}

function describeRepeat(state: AlertState, atMs: number) {
  return {
    atMs,
    startedAtMs: findStartMs(state),
    troubleStartedAtMs: null,
    resultId: state.lastResultId,
    alertNumber: state.alertNumber,
    isReminder: false,
    reminderSequence: 0,
    isFlapping: state.isFlapping,
    escalationStage: state.escalationStage,
    onlyChannelIds: null,
  };
}
