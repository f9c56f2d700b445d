import type { AlertKind } from "../../alert-channels/index.ts";
import { type AlertRules, type HoldReason, minuteMs } from "../alert-rules.ts";
import type { AlertState } from "../alert-state.ts";
import { isWanted, type Wanted } from "../alert-text.ts";
import { decideThreshold, findTransition } from "../transition.ts";

/**
 * Why nobody was notified of a trouble:
 * - a reason for which alerts are held
 * - no-channels: the account has no channel
 * - not-connected: no channel is connected to the check or its group
 * - not-wanted: its channels do not receive alerts of this kind
 * - below-threshold: the alert rules ask for more failing runs or minutes
 * - connected-later: the alert was sent when no channel was connected
 * - not-decided: the first run has not been decided on
 */
export type UntoldReason =
  | HoldReason
  | "no-channels"
  | "not-connected"
  | "not-wanted"
  | "below-threshold"
  | "connected-later"
  | "not-decided";

export const untoldReasons: readonly UntoldReason[] = [
  ...(["deactivated", "muted", "probe-suspect", "in-maintenance", "held-by-parent"] as const),
  ...(["location-silent", "flapping", "no-channels", "not-connected", "not-wanted"] as const),
  ...(["below-threshold", "connected-later", "not-decided"] as const),
];

export interface Untold {
  readonly reason: UntoldReason;
  /** The same in one sentence, with the figures of the rules. */
  readonly explanation: string;
  /** The channel that does not receive such alerts. */
  readonly alertChannelId: number | null;
  /** The failing check that it depends on. */
  readonly parentCheckId: string | null;
}

export interface UntoldFacts {
  /** `null` if nothing was decided so far. */
  readonly state: AlertState | null;
  readonly rules: AlertRules;
  /** What holds alerts now. */
  readonly hold: HoldReason | null;
  readonly hasChannels: boolean;
  /** Connected to the check or to its group. */
  readonly connected: readonly (Wanted & { readonly id: number })[];
  readonly nowMs: number;
}

const holdWords: Readonly<Record<HoldReason, string>> = {
  deactivated: "The check is deactivated.",
  muted: "The check or its group is muted.",
  "probe-suspect": "The probe itself seems to have a network problem.",
  "in-maintenance": "A maintenance window is open.",
  "held-by-parent": "A check that it depends on is failing.",
  "location-silent": "Its private location is silent, which was reported already.",
  flapping: "It changes its state too often.",
};

const count = (amount: number, noun: string) => `${amount} ${noun}${amount === 1 ? "" : "s"}`;

function explainThreshold(state: AlertState, { settings }: AlertRules, nowMs: number): string {
  const how = state.phase === "degraded" ? "degraded" : "failing";
  if (settings.escalationType === "RUN_BASED") {
    const { failedRunThreshold } = settings.runBasedEscalation;
    const asked = `The rules ask for ${count(failedRunThreshold, `${how} run`)} in a row`;
    return `${asked}; there ${state.failedRuns === 1 ? "was" : "were"} ${state.failedRuns} so far.`;
  }
  const minutes = Math.max(0, Math.floor((nowMs - state.sinceMs) / minuteMs));
  const { minutesFailingThreshold } = settings.timeBasedEscalation;
  const asked = `The rules ask for ${count(minutesFailingThreshold, "minute")} of ${how}`;
  return `${asked}; it has been so for ${count(minutes, "minute")}.`;
}

/** The kind of the alert that nobody received, or would not receive now. */
function findKind(state: AlertState | null): AlertKind {
  if (state === null) return "ALERT_FAILURE";
  return state.alertedKind ?? findTransition(state)?.kind ?? "ALERT_FAILURE";
}

/** Names the reason that must be removed first. */
export function decideUntold(facts: UntoldFacts): Untold {
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
  if (!connected.some((channel) => isWanted(findKind(state), channel))) {
    const explanation = "Its channels do not receive alerts of this kind.";
    const alertChannelId = connected[0]?.id ?? null;
    return { ...none, reason: "not-wanted", explanation, alertChannelId };
  }
  if (state === null || state.phase === "calm") {
    const explanation = "The alert rules have not been applied to it yet.";
    return { ...none, reason: "not-decided", explanation };
  }
  if (state.alertedKind === null && !decideThreshold(state, nowMs, rules).isReached) {
    const explanation = explainThreshold(state, rules, nowMs);
    return { ...none, reason: "below-threshold", explanation };
  }
  if (state.alertedKind === null) {
    const explanation = "The alert rules have not been applied to it yet.";
    return { ...none, reason: "not-decided", explanation };
  }
  const explanation = "No channel was connected when the alert was sent.";
  return { ...none, reason: "connected-later", explanation };
}
