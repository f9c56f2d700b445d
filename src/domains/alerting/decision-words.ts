import type { Alert, Decision, NoAlert } from "./alert-decision.ts";
import type { AlertRules } from "./alert-rules.ts";
import type { AlertState } from "./alert-state.ts";
import { endlessAmount } from "./reminder.ts";

const count = (amount: number, one: string) => `${amount} ${one}${amount === 1 ? "" : "s"}`;

const verbs = { failing: "failed", degraded: "were degraded" } as const;
const ongoing = { failing: "failing", degraded: "degraded" } as const;

function sayRuns({ phase, failedRuns }: AlertState, { settings }: AlertRules): string {
  const { failedRunThreshold } = settings.runBasedEscalation;
  const isFailing = phase !== "degraded";
  if (failedRunThreshold === 1) {
    return `A run ${isFailing ? "failed" : "was degraded"}, and one is enough by the rules.`;
  }
  const verb = verbs[isFailing ? "failing" : "degraded"];
  const seen = `${count(failedRuns, "run")} in a row ${verb}`;
  return `${seen}; the rules ask for ${failedRunThreshold}.`;
}

function sayMinutes({ phase }: AlertState, { settings }: AlertRules): string {
  const { minutesFailingThreshold } = settings.timeBasedEscalation;
  const how = ongoing[phase === "degraded" ? "degraded" : "failing"];
  return `It was ${how} for ${minutesFailingThreshold} minutes, as long as the rules ask for.`;
}

function sayReminder({ reminderSequence }: Alert, { settings }: AlertRules): string {
  const { amount } = settings.reminders;
  const total = amount >= endlessAmount ? "" : ` of ${Math.max(amount, reminderSequence)}`;
  return `Nobody had acknowledged it: reminder ${reminderSequence}${total}.`;
}

function sayStage({ escalationStage }: Alert, { escalationStages }: AlertRules): string {
  const ordered = escalationStages.toSorted((one, other) => one.afterMinutes - other.afterMinutes);
  const minutes = ordered[escalationStage - 1]?.afterMinutes ?? 0;
  const stage = `stage ${escalationStage} of ${ordered.length}`;
  return `Nobody had acknowledged it after ${count(minutes, "minute")}: escalation, ${stage}.`;
}

function saySent(alert: Alert, state: AlertState, rules: AlertRules): string {
  switch (alert.reason) {
    case "run-threshold-reached":
      return sayRuns(state, rules);
    case "time-threshold-reached":
      return sayMinutes(state, rules);
    case "worsened":
      return "It was degraded and started failing, which is told at once.";
    case "improved":
      return "It was failing and is now degraded, which is told at once.";
    case "no-data":
      return rules.noDataMinutes === null
        ? "No run reported a result for too long."
        : `No run reported a result for ${count(rules.noDataMinutes, "minute")}.`;
    case "recovered":
      return "It passed again.";
    case "flapping-began":
      return rules.flapDamping === null
        ? "It keeps changing."
        : `It changed ${rules.flapDamping.transitions} times within ` +
            `${rules.flapDamping.windowMinutes} minutes: no more alerts until it is stable.`;
    case "reminder-due":
      return sayReminder(alert, rules);
    case "escalation-stage-due":
      return sayStage(alert, rules);
  }
}

const holds: Readonly<Record<string, string>> = {
  deactivated: "Held, because the check was deactivated.",
  muted: "Held, because the check or its group was muted.",
  "probe-suspect": "Held, because the probe could not reach its own anchors.",
  "in-maintenance": "Held, because a maintenance window was open.",
  "held-by-parent": "Held, because a check that it depends on was failing.",
  "location-silent": "Held, because the silence of its private location was told already.",
  flapping: "Held, because the check kept changing.",
};

function sayHeld({ reason }: NoAlert): string {
  return holds[reason] ?? "Held.";
}

/** Why it was sent or held, in one sentence with the figures of the rules at that moment. */
export function explainDecision(decision: Decision, state: AlertState, rules: AlertRules): string {
  return decision.kind === "NO_ALERT" ? sayHeld(decision) : saySent(decision, state, rules);
}
