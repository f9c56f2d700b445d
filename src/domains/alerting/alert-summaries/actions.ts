import { hasAnyChannel, mapChannels, mapSubscribedChannelIds } from "../../alert-channels/index.ts";
import type { StatesContext } from "../../states/index.ts";
import { findHold, type HoldReason } from "../alert-rules.ts";
import { type AlertState, findAlertedPhase } from "../alert-state.ts";
import { loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import { listAlertStates, listNotified, type NotifiedRow } from "./store.ts";
import { decideUnnotified, type Unnotified } from "./unnotified.ts";

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
  /** `null` if no alert was sent for the current problem. */
  readonly open: OpenAlertSummary | null;
  /** Why alerts are held; `null` if they are not held. */
  readonly heldReason: HoldReason | null;
  /** Why nobody was notified; `null` if somebody was. */
  readonly untold: Unnotified | null;
}

/** Loads, by check, who was notified of the current problem, when, and who acknowledged it. */
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
      return [checkId, { open, heldReason: state.heldReason }] as const;
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

/** Explains for each check why nobody was notified. */
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
