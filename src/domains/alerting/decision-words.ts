import type { Alert, Decision, NoAlert } from "./alert-decision.ts";
import type { AlertRules } from "./alert-rules.ts";
import type { AlertState } from "./alert-state.ts";
import { endlessAmount } from "./reminder.ts";

const count = (amount: number, one: string) => `${amount} ${one}${amount === 1 ? "" : "s"}`;

const verbs = { failing: "failed", degraded: "were degraded" } as const;
const ongoing = { failing: "failing", degraded: "degraded" } as const;

function explainRuns({ phase, failedRuns }: AlertState, { settings }: AlertRules): string {
  const { failedRunThreshold } = settings.runBasedEscalation;
  const isFailing = phase !== "degraded";
  if (failedRunThreshold === 1) {
    return `A run ${isFailing ? "failed" : "was degraded"}; the rules require 1.`;
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

function explainStage({ escalationStage }: Alert, { escalationStages }: AlertRules): string {
  const ordered = escalationStages.toSorted((one, other) => one.afterMinutes - other.afterMinutes);
  const minutes = ordered[escalationStage - 1]?.afterMinutes ?? 0;
  const stage = `stage ${escalationStage} of ${ordered.length}`;
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
    case "escalation-stage-due":
      return explainStage(alert, rules);
  }
}

const holds: Readonly<Record<string, string>> = {
  deactivated: "Held because the check was deactivated.",
  muted: "Held because the check or its group was muted.",
  "probe-suspect": "Held because the probe could not reach its own anchors.",
  "in-maintenance": "Held because a maintenance window was open.",
  "held-by-parent": "Held because a check that it depends on was failing.",
  "location-silent": "Held because its private location was already reported as offline.",
  flapping: "Held because the state of the check kept changing.",
};

function explainHeld({ reason }: NoAlert): string {
  return holds[reason] ?? "Held.";
}

/**
 * Explains in one sentence why an alert was sent or held, with the values of the rules at that
 * time.
 */
export function explainDecision(decision: Decision, state: AlertState, rules: AlertRules): string {
  return decision.kind === "NO_ALERT" ? explainHeld(decision) : explainSent(decision, state, rules);
}
