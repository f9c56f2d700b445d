import type { Database } from "../../../platform/database.ts";
import type { HoldReason } from "../alert-rules.ts";
import { findAlertedPhase } from "../alert-state.ts";
import { listAlertStates, listTold, type ToldRow } from "./store.ts";

export interface OpenAlertNews {
  readonly alertId: string | null;
  readonly alertNumber: number;
  readonly alertType: string;
  readonly openedAtMs: number;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  readonly told: readonly Omit<ToldRow, "checkId">[];
}

export interface CheckAlertNews {
  /** Null: nobody has been alerted of this trouble. */
  readonly open: OpenAlertNews | null;
  /** Why nobody is alerted; null: nothing holds the alerts. */
  readonly heldReason: HoldReason | null;
}

/** Who was told of some checks' troubles, when, and who acknowledged; by check. */
export async function mapAlertNews(
  db: Database,
  accountId: string,
  checkIds: readonly string[],
): Promise<Map<string, CheckAlertNews>> {
  const news = await listAlertStates(db, accountId, checkIds);
  const alerted = news
    .filter(({ state }) => state.alertedKind !== null)
    .map(({ checkId, state: { alertNumber } }) => ({ checkId, alertNumber }));
  const told = Map.groupBy(await listTold(db, accountId, alerted), ({ checkId }) => checkId);
  return new Map(
    news.map(({ checkId, state, alertId }) => {
      const isOpen = state.alertedKind !== null && findAlertedPhase(state) !== "calm";
      const open: OpenAlertNews | null = isOpen
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
      return [checkId, { open, heldReason: state.heldReason }];
    }),
  );
}
