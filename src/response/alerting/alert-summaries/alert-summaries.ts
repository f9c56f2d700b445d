import {
  type AlertMessage,
  hasAnyChannel,
  mapChannels,
  mapSubscribedChannelIds,
} from "../../../channels/alert-channels/index.ts";
import type { StatesContext } from "../../../runs/states/index.ts";
import { type AlertFilter, receivesAlert } from "../alert-message.ts";
import { type AlertRules, findHold, type HoldReason, minuteMs } from "../alert-rules.ts";
import {
  type AlertState,
  decideThreshold,
  findAlertedPhase,
  findTransition,
} from "../alert-state.ts";
import { loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import { describeMute } from "../mutes/mute.ts";
import { listAlertStates, listNotified, type NotifiedRow } from "./store.ts";

/**
 * Why nobody was notified of a problem:
 * - muted, deactivated or another value of `HoldReason`: alerts of the check are held
 * - no-channels: the account has no channel
 * - not-connected: no channel is connected to the check or its group
 * - not-wanted: the connected channels do not receive alerts of this kind
 * - below-threshold: the threshold of the alert rules is not reached
 * - connected-later: no channel was connected when the alert was sent
 * - not-decided: the first run has not been evaluated yet
 */
type UnnotifiedReason =
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

interface Unnotified {
  readonly reason: UnnotifiedReason;
  /** One sentence that explains the reason, with the values of the alert rules. */
  readonly explanation: string;
  /**
   * Id of a channel that is connected but does not receive alerts about the problem; `null` unless
   * the reason is "not-wanted".
   */
  readonly alertChannelId: number | null;
  /** Id of the failing parent check that holds the alert; `null` for other reasons. */
  readonly parentCheckId: string | null;
}

export interface UnnotifiedFacts {
  /** Alert state of the check; `null` if no run has been evaluated yet. */
  readonly state: AlertState | null;
  readonly rules: AlertRules;
  /** Why alerts of the check are held now; `null` if they are not held. */
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

/** Returns the kind of the open alert, or of the alert that the current state would cause. */
function findKind(state: AlertState | null): AlertMessage["kind"] {
  if (state === null) return "ALERT_FAILURE";
  return state.alertedKind ?? findTransition(state)?.kind ?? "ALERT_FAILURE";
}

/** Returns why nobody was notified. If several reasons apply, returns the one to resolve first. */
export function decideUnnotified(facts: UnnotifiedFacts): Unnotified {
  const { state, rules, hasChannels, connected, nowMs } = facts;
  const none = { alertChannelId: null, parentCheckId: null };
  const hold = facts.hold ?? state?.heldReason ?? (state?.isFlapping ? "flapping" : null);
  if (hold !== null) {
    const parentCheckId = hold === "held-by-parent" ? rules.heldByParent : null;
    const { muted, timedMute = null } = rules;
    const isTimed = hold === "muted" && !muted && timedMute !== null;
    const explanation = isTimed ? `Muted ${describeMute(timedMute)}.` : holdWords[hold];
    return { ...none, reason: hold, explanation, parentCheckId };
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

export interface OpenAlertSummary {
  readonly alertId: string | null;
  readonly alertNumber: number;
  readonly alertType: string;
  readonly openedAtMs: number;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  readonly told: readonly Omit<NotifiedRow, "checkId">[];
}

export interface CheckAlertSummary {
  /** The open alert; `null` if no alert was sent for the current problem. */
  readonly open: OpenAlertSummary | null;
  /** Why alerts of the check are held; `null` if they are not held. */
  readonly heldReason: HoldReason | null;
  /** Why nobody was notified of the problem; `null` if somebody was notified. */
  readonly untold: Unnotified | null;
}

/** Loads, for each check, who was notified of the problem and who acknowledged the alert. */
export async function mapAlertSummaries(
  context: StatesContext,
  accountId: string,
  checkIds: readonly string[],
): Promise<Map<string, CheckAlertSummary>> {
  const { db } = context;
  const news = await listAlertStates(db, accountId, checkIds);
  const alerted = news
    .filter(({ state }) => state.alertedKind !== null)
    .map(({ checkId, state: { alertNumber } }) => ({ checkId, alertNumber }));
  const told = Map.groupBy(await listNotified(db, accountId, alerted), ({ checkId }) => checkId);
  const states = new Map(news.map(({ checkId, state }) => [checkId, state]));
  const found = new Map(
    news.map(({ checkId, state, alertId }) => {
      const isOpen = state.alertedKind !== null && findAlertedPhase(state) !== "calm";
      const open: OpenAlertSummary | null = isOpen
        ? {
            alertId,
            alertNumber: state.alertNumber,
            alertType: state.alertedKind ?? "",
            openedAtMs: state.openedAtMs ?? state.sinceMs,
            acknowledgedAtMs: state.acknowledgedAtMs,
            acknowledgedBy: state.acknowledgedBy ?? null,
            told: (told.get(checkId) ?? []).map(({ checkId: _, ...one }) => one),
          }
        : null;
      const heldReason = state.heldReason ?? (state.isMuteHeld ? ("muted" as const) : null);
      return [checkId, { open, heldReason }] as const;
    }),
  );
  const untold = await mapUnnotified(context, accountId, {
    states,
    checkIds: checkIds.filter((id) => (found.get(id)?.open?.told.length ?? 0) === 0),
  });
  return new Map(
    checkIds.map((id) => {
      const { open = null, heldReason = null } = found.get(id) ?? {};
      return [id, { open, heldReason, untold: untold.get(id) ?? null }];
    }),
  );
}

/** Returns why nobody was notified, for each of the given checks. */
async function mapUnnotified(
  context: StatesContext,
  accountId: string,
  about: {
    readonly states: ReadonlyMap<string, AlertState>;
    readonly checkIds: readonly string[];
  },
): Promise<Map<string, Unnotified>> {
  if (about.checkIds.length === 0) return new Map();
  const { db, clock } = context;
  const nowMs = clock.now().getTime();
  const snapshot = await loadDecisionSnapshot(context, about.checkIds);
  const watched = [...snapshot.watched.values()].filter((one) => one.accountId === accountId);
  const checks = watched.map(({ checkId, settings: { groupId } }) => ({ checkId, groupId }));
  const subscribed = await mapSubscribedChannelIds(db, checks);
  const channels = await mapChannels(db, [...new Set([...subscribed.values()].flat())]);
  const hasChannels = await hasAnyChannel(db, accountId);
  const untold = watched.map((one) => {
    const rules = rulesFor(snapshot, one);
    const connected = (subscribed.get(one.checkId) ?? [])
      .map((id) => channels.get(id))
      .filter((channel) => channel !== undefined);
    const facts = { rules, connected, hasChannels, nowMs, hold: findHold(rules, [nowMs]) };
    const state = about.states.get(one.checkId) ?? null;
    return [one.checkId, decideUnnotified({ ...facts, state })] as const;
  });
  return new Map(untold);
}
