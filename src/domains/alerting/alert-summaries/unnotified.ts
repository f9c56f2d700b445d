import type { AlertKind } from "../../alert-channels/index.ts";
import { type AlertFilter, receivesAlert } from "../alert-message.ts";
import { type AlertRules, type HoldReason, minuteMs } from "../alert-rules.ts";
import type { AlertState } from "../alert-state.ts";
import { decideThreshold, findTransition } from "../alert-state.ts";

/**
 * Why nobody was notified of a problem:
 * - a hold reason
 * - no-channels: the account has no channel
 * - not-connected: no channel is connected to the check or its group
 * - not-wanted: its channels do not receive alerts of this kind
 * - below-threshold: the threshold of the alert rules is not reached
 * - connected-later: no channel was connected when the alert was sent
 * - not-decided: the first run has not been evaluated yet
 */
export type UnnotifiedReason =
  | HoldReason
  | "no-channels"
  | "not-connected"
  | "not-wanted"
  | "below-threshold"
  | "connected-later"
  | "not-decided";

export const unnotifiedReasons: readonly UnnotifiedReason[] = [
  ...(["deactivated", "muted", "probe-suspect", "in-maintenance", "held-by-parent"] as const),
  ...(["location-silent", "flapping", "no-channels", "not-connected", "not-wanted"] as const),
  ...(["below-threshold", "connected-later", "not-decided"] as const),
];

export interface Unnotified {
  readonly reason: UnnotifiedReason;
  /** The reason as one sentence, with the values of the rules. */
  readonly explanation: string;
  /** The channel that does not receive such alerts. */
  readonly alertChannelId: number | null;
  /** The failing check that this check depends on. */
  readonly parentCheckId: string | null;
}

export interface UnnotifiedFacts {
  /** `null` if no run has been evaluated yet. */
  readonly state: AlertState | null;
  readonly rules: AlertRules;
  /** Why alerts are held now. */
  readonly hold: HoldReason | null;
  readonly hasChannels: boolean;
  /** Channels connected to the check or to its group. */
  readonly connected: readonly (AlertFilter & { readonly id: number })[];
  readonly nowMs: number;
}

const holdWords: Readonly<Record<HoldReason, string>> = {
  deactivated: "The check is deactivated.",
  muted: "The check or its group is muted.",
  "probe-suspect": "The probe itself seems to have a network problem.",
  "in-maintenance": "A maintenance window is open.",
  "held-by-parent": "A check that it depends on is failing.",
  "location-silent": "Its private location is offline, which was already reported.",
  flapping: "The check changes its state too often.",
};

const count = (amount: number, noun: string) => `${amount} ${noun}${amount === 1 ? "" : "s"}`;

function explainThreshold(state: AlertState, { settings }: AlertRules, nowMs: number): string {
  const how = state.phase === "degraded" ? "degraded" : "failing";
  if (settings.escalationType === "RUN_BASED") {
    const { failedRunThreshold } = settings.runBasedEscalation;
    const required = `The rules require ${count(failedRunThreshold, `${how} run`)} in a row`;
    return `${required}; there ${state.failedRuns === 1 ? "was" : "were"} ${state.failedRuns} so far.`;
  }
  const minutes = Math.max(0, Math.floor((nowMs - state.sinceMs) / minuteMs));
  const { minutesFailingThreshold } = settings.timeBasedEscalation;
  const required = `The rules require ${count(minutesFailingThreshold, "minute")} of ${how}`;
  return `${required}; it has been ${how} for ${count(minutes, "minute")}.`;
}

/** Returns the kind of the alert that nobody received or would receive now. */
function findKind(state: AlertState | null): AlertKind {
  if (state === null) return "ALERT_FAILURE";
  return state.alertedKind ?? findTransition(state)?.kind ?? "ALERT_FAILURE";
}

/** Returns the reason that must be resolved first. */
export function decideUnnotified(facts: UnnotifiedFacts): Unnotified {
  const { state, rules, hasChannels, connected, nowMs } = facts;
  const none = { alertChannelId: null, parentCheckId: null };
  const hold = facts.hold ?? state?.heldReason ?? (state?.isFlapping ? "flapping" : null);
  if (hold !== null) {
    const parentCheckId = hold === "held-by-parent" ? rules.heldByParent : null;
    return { ...none, reason: hold, explanation: holdWords[hold], parentCheckId };
  }
  if (!hasChannels) {
    return { ...none, reason: "no-channels", explanation: "There is no alert channel yet." };
  }
  if (connected.length === 0) {
    const explanation = "No channel is connected to this check.";
    return { ...none, reason: "not-connected", explanation };
  }
  if (!connected.some((channel) => receivesAlert(findKind(state), channel))) {
    const explanation = "Its channels do not receive alerts of this kind.";
    const alertChannelId = connected[0]?.id ?? null;
    return { ...none, reason: "not-wanted", explanation, alertChannelId };
  }
  if (state === null || state.phase === "calm") {
    const explanation = "The alert rules have not been applied to the check yet.";
    return { ...none, reason: "not-decided", explanation };
  }
  if (state.alertedKind === null && !decideThreshold(state, nowMs, rules).isReached) {
    const explanation = explainThreshold(state, rules, nowMs);
    return { ...none, reason: "below-threshold", explanation };
  }
  if (state.alertedKind === null) {
    const explanation = "The alert rules have not been applied to the check yet.";
    return { ...none, reason: "not-decided", explanation };
  }
  const explanation = "No channel was connected when the alert was sent.";
  return { ...none, reason: "connected-later", explanation };
}
