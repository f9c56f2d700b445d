import { createOrderedIds } from "../../platform/ordered-id.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { type Alert, type Decision, findNextTickMs, type NoAlert } from "./alert-decision.ts";
import type { OutgoingAlert } from "./alert-message.ts";
import {
  type AlertRules,
  describeStage,
  endlessAmount,
  listReachedChannelIds,
  orderStages,
} from "./alert-rules.ts";
import {
  type AlertState,
  findAlertedPhase,
  findStageProgress,
  findStartMs,
} from "./alert-state.ts";
import type { DecidedAlert, SavedAlertState } from "./decider-store.ts";
import { type DecisionSnapshot, rulesFor } from "./decision-snapshot.ts";
import { describeMute } from "./mutes/mute.ts";
import type { TroubleLedger } from "./trouble-ledger.ts";

const verbs = { failing: "failed", degraded: "were degraded" } as const;
const ongoing = { failing: "failing", degraded: "degraded" } as const;
const phaseWords = { ...ongoing, "no-data": "without data", calm: "open" } as const;

const holds: Readonly<Record<string, string>> = {
  deactivated: "Held because the check was deactivated.",
  muted: "Held because the check or its group was muted.",
  "probe-suspect": "Held because the probe could not reach its own anchors.",
  "in-maintenance": "Held because a maintenance window was open.",
  "held-by-parent": "Held because a check that it depends on was failing.",
  "location-silent": "Held because its private location was already reported as offline.",
  flapping: "Held because the state of the check kept changing.",
};

/** Interval at which a held alert is evaluated again. */
const heldTickMs = 60_000;

/** Creates ids that increase even within a millisecond, because alerts are listed in id order. */
const createAlertId = createOrderedIds();

export interface Outcome {
  readonly states: readonly SavedAlertState[];
  readonly rows: readonly DecidedAlert[];
  readonly outgoing: readonly OutgoingAlert[];
  readonly troubles: TroubleLedger;
}

/** Collects the decisions of a batch until they are stored. */
export class DecisionTally {
  readonly troubles: TroubleLedger;
  readonly #states = new Map<string, { watched: Watched; state: AlertState }>();
  readonly #rows: DecidedAlert[] = [];
  readonly #outgoing: Omit<OutgoingAlert, "reachedChannelIds" | "urgency">[] = [];
  readonly #lastDecisions: Map<string, string>;

  constructor(lastDecisions: Map<string, string>, troubles: TroubleLedger) {
    this.#lastDecisions = lastDecisions;
    this.troubles = troubles;
  }

  stateOf(checkId: string): AlertState | undefined {
    return this.#states.get(checkId)?.state;
  }

  add(
    watched: Watched,
    state: AlertState,
    rules: AlertRules,
    decisions: readonly Decision[],
  ): void {
    this.#states.set(watched.checkId, { watched, state });
    for (const decision of decisions) this.#note(watched, state, rules, decision);
  }

  #note(watched: Watched, state: AlertState, rules: AlertRules, decision: Decision): void {
    const { checkId, accountId } = watched;
    const isSent = decision.kind !== "NO_ALERT";
    const heldKind = isSent ? null : decision.heldKind;
    if (!isSent && heldKind === null) return;
    const summary = `${decision.kind} ${heldKind ?? ""} ${decision.reason}`;
    // Store only one decision for an alert that stays held for the same reason.
    if (!isSent && this.#lastDecisions.get(checkId) === summary) return;
    this.#lastDecisions.set(checkId, summary);
    const id = createAlertId();
    this.#rows.push({
      id,
      accountId,
      checkId,
      alertNumber: isSent ? decision.alertNumber : state.alertNumber,
      kind: decision.kind,
      heldKind,
      reason: decision.reason,
      explanation: explainDecision(decision, state, rules),
      startedAt: new Date(isSent ? decision.startedAtMs : findStartMs(state)),
      parentId: isSent ? null : decision.parentId,
      resultId: decision.resultId,
      isReminder: isSent && decision.isReminder,
      at: new Date(decision.atMs),
    });
    if (isSent) this.#outgoing.push({ id, watched, alert: decision });
  }

  finish(snapshot: DecisionSnapshot, nowMs: number): Outcome {
    const states = [...this.#states.values()].map(({ watched, state }) => {
      const { checkId, accountId } = watched;
      const rules = rulesFor(snapshot, watched);
      const moments = [
        findNextTickMs(state, rules),
        this.troubles.findNextMs(watched, state, rules),
      ].filter((one) => one !== null);
      const tickMs = moments.length === 0 ? null : Math.min(...moments);
      const nextTickAtMs = tickMs === null ? null : tickMs > nowMs ? tickMs : nowMs + heldTickMs;
      return { checkId, accountId, state, nextTickAtMs };
    });
    const outgoing = this.#outgoing.map((one) => {
      const { escalationStages, urgency } = rulesFor(snapshot, one.watched);
      const { escalationStage } = one.alert;
      return {
        ...one,
        urgency,
        reachedChannelIds: listReachedChannelIds(escalationStages, escalationStage),
      };
    });
    return { states, rows: this.#rows, outgoing, troubles: this.troubles };
  }
}

const count = (amount: number, one: string) => `${amount} ${one}${amount === 1 ? "" : "s"}`;

function explainRuns({ phase, failedRuns }: AlertState, { settings }: AlertRules): string {
  const { failedRunThreshold } = settings.runBasedEscalation;
  const isFailing = phase !== "degraded";
  if (failedRunThreshold === 1) {
    return `1 ${isFailing ? "failed" : "degraded"} run is enough for an alert.`;
  }
  const verb = verbs[isFailing ? "failing" : "degraded"];
  const seen = `${count(failedRuns, "run")} in a row ${verb}`;
  return `${seen}; the rules require ${failedRunThreshold}.`;
}

function explainMinutes({ phase }: AlertState, { settings }: AlertRules): string {
  const { minutesFailingThreshold } = settings.timeBasedEscalation;
  const how = ongoing[phase === "degraded" ? "degraded" : "failing"];
  return `It was ${how} for ${minutesFailingThreshold} minutes, as the rules require.`;
}

function explainReminder({ reminderSequence }: Alert, { settings }: AlertRules): string {
  const { amount } = settings.reminders;
  const total = amount >= endlessAmount ? "" : ` of ${Math.max(amount, reminderSequence)}`;
  return `Nobody had acknowledged it: reminder ${reminderSequence}${total}.`;
}

function explainStage(
  { escalationStage }: Alert,
  state: AlertState,
  { escalationStages }: AlertRules,
): string {
  const minutes = orderStages(escalationStages)[escalationStage - 1]?.afterMinutes ?? 0;
  const stage = describeStage(escalationStages, escalationStage);
  if (escalationStage <= findStageProgress(state).hurriedTo) {
    return `${state.hurry?.reason ?? ""} Escalation at once, ${stage}.`.trim();
  }
  return `Nobody had acknowledged it after ${count(minutes, "minute")}: escalation, ${stage}.`;
}

function explainSent(alert: Alert, state: AlertState, rules: AlertRules): string {
  switch (alert.reason) {
    case "run-threshold-reached":
      return explainRuns(state, rules);
    case "time-threshold-reached":
      return explainMinutes(state, rules);
    case "worsened":
      return "It was degraded and started failing; alerts about this are sent immediately.";
    case "improved":
      return "It was failing and is now degraded; alerts about this are sent immediately.";
    case "no-data":
      return rules.noDataMinutes === null
        ? "No result was received within the configured time."
        : `No result was received for ${count(rules.noDataMinutes, "minute")}.`;
    case "recovered":
      return "It passed again.";
    case "flapping-began":
      return rules.flapDamping === null
        ? "The state keeps changing."
        : `It changed ${rules.flapDamping.transitions} times within ` +
            `${rules.flapDamping.windowMinutes} minutes; further alerts are held until it is stable.`;
    case "reminder-due":
      return explainReminder(alert, rules);
    case "mute-ended":
      return `The mute ended, and it is still ${phaseWords[findAlertedPhase(state)]}.`;
    case "snooze-ended":
      return `It was snoozed, and it is still ${phaseWords[findAlertedPhase(state)]}.`;
    case "escalation-stage-due":
      return explainStage(alert, state, rules);
  }
}

function explainHeld({ reason }: NoAlert, { muted, timedMute = null }: AlertRules): string {
  if (reason === "muted" && !muted && timedMute !== null) {
    return `Held because it was muted ${describeMute(timedMute)}.`;
  }
  return holds[reason] ?? "Held.";
}

/** Explains in one sentence why an alert was sent or held, based on the rules at that time. */
function explainDecision(decision: Decision, state: AlertState, rules: AlertRules): string {
  return decision.kind === "NO_ALERT"
    ? explainHeld(decision, rules)
    : explainSent(decision, state, rules);
}
