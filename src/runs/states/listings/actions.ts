import type { ListFilter } from "../../../checks/checks/index.ts";
import { isCheckType, kinds } from "../../../kinds/index.ts";
import type { Verdict } from "../../../kinds/kit/verdict.ts";
import { explainVerdict } from "../../../kinds/kit/verdict.ts";
import { findNamedResults, type ResultRow } from "../../results/index.ts";
import type { Watched } from "../../scheduling/index.ts";
import { expireOldState, listSilentChecks, type StatesContext } from "../current-status.ts";
import { listSlotChanges, type SlotChanges } from "../state-change-store.ts";
import {
  countFacets,
  countListedChecks,
  type FacetCount,
  type ListedCheck,
  type ListPage,
  listListedChecks,
} from "./listing-store.ts";

/** Number of half-hour slots in the status bar: the last day, including the current half hour. */
export const slotCount = 48;
export const slotMs = 1_800_000;

/** Severity of each status. A slot shows the most severe status of its half hour. */
const ranks: Readonly<Record<Verdict, number>> = {
  unknown: 0,
  passing: 1,
  degraded: 2,
  failing: 3,
};

function findWorst(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((worst, one) => (ranks[one] > ranks[worst] ? one : worst), "unknown");
}

/** Returns the start time of the first slot. */
function findBarStart(nowMs: number): number {
  return (Math.floor(nowMs / slotMs) + 1 - slotCount) * slotMs;
}

/**
 * Returns the worst status of each slot, oldest first. The slots are computed backwards from the
 * current status, because each state change contains the status before the change.
 */
function drawStates(current: Verdict, changes: readonly SlotChanges[]): Verdict[] {
  const bySlot = new Map(changes.map((change) => [change.slot, change]));
  const states: Verdict[] = [];
  let state = current;
  for (let slot = slotCount - 1; slot >= 0; slot -= 1) {
    const change = bySlot.get(slot);
    states.push(change === undefined ? state : findWorst(change.seen));
    state = change?.first ?? state;
  }
  return states.reverse();
}

type ListingContext = StatesContext;

/** Why a check is not passing: its newest run that did not pass, and the affected locations. */
interface ListedReason {
  readonly text: string;
  readonly locations: readonly string[];
}

export interface CheckRow extends Omit<ListedCheck, "status" | "locations"> {
  readonly state: Verdict | "inactive";
  readonly reason: ListedReason | null;
  /** Worst status in each half hour of the last day, computed from the state changes. */
  readonly slots: readonly Verdict[];
  /** Interval between runs; `null` if the check cannot be parsed. */
  readonly periodMs: number | null;
}

interface CheckPage {
  readonly rows: readonly CheckRow[];
  readonly total: number;
  readonly barFromMs: number;
}

/**
 * Loads the data for list queries. The ids of checks without recent results are loaded only for
 * queries that filter or sort by state. Other queries do not use these ids.
 */
async function findListFacts(context: ListingContext, accountId: string, needsStates: boolean) {
  const { defaultLocation } = context.watchList;
  if (!needsStates) return { silentIds: [], defaultLocation };
  const silent = await listSilentChecks(context, accountId);
  return { silentIds: silent.map(({ checkId }) => checkId), defaultLocation };
}

export async function listCheckPage(
  context: ListingContext,
  accountId: string,
  { filter, page }: { readonly filter: ListFilter; readonly page: ListPage },
): Promise<CheckPage> {
  const { db, clock, watchList } = context;
  const needsStates = filter.state !== undefined || page.sort === "state";
  const facts = await findListFacts(context, accountId, needsStates);
  const [listed, total] = await Promise.all([
    listListedChecks(db, accountId, { filter, facts, page }),
    countListedChecks(db, accountId, { filter, facts }),
  ]);
  const now = clock.now();
  const ids = listed.map(({ id }) => id);
  const barFromMs = findBarStart(now.getTime());
  const [watched, changes, troubles] = await Promise.all([
    watchList.find(ids),
    listSlotChanges(db, ids, { fromMs: barFromMs, slotMs }),
    findNamedResults(db, listed.flatMap(nameTroubles)),
  ]);
  const changesOf = Map.groupBy(changes, ({ place }) => place - 1);
  const troublesOf = Map.groupBy(troubles, (result) => result.check_id);
  const rows = listed.map((check, place) =>
    describeRow(check, {
      now,
      watched: watched.get(check.id),
      slots: changesOf.get(place) ?? [],
      troubles: troublesOf.get(check.id) ?? [],
    }),
  );
  return { rows, total, barFromMs };
}

function nameTroubles({ id, locations }: ListedCheck) {
  return Object.values(locations)
    .filter(({ verdict }) => verdict !== "passing")
    .map(({ resultId }) => ({ checkId: id, resultId }));
}

interface RowData {
  readonly now: Date;
  readonly watched: Watched | undefined;
  readonly slots: Parameters<typeof drawStates>[1];
  /** Results of the newest runs that did not pass, newest first. */
  readonly troubles: readonly ResultRow[];
}

function describeRow(check: ListedCheck, { now, watched, slots, troubles }: RowData): CheckRow {
  const { status, since, locations: _votes, ...shown } = check;
  const stored = { status: status ?? ("unknown" as const), since };
  const current = expireOldState(stored, watched, { lastDueAt: check.lastRunAt, now });
  const state = check.isActive ? current.status : "inactive";
  return {
    ...shown,
    state,
    since: current.since,
    reason: current === stored ? explain(check, state, troubles) : silence,
    slots: drawStates(current.status, slots),
    periodMs: watched?.plan.periodMs ?? null,
  };
}

const silence: ListedReason = { text: "No result was received for two periods.", locations: [] };

function explain(
  { kind }: ListedCheck,
  state: CheckRow["state"],
  troubles: readonly ResultRow[],
): ListedReason | null {
  const [newest] = troubles;
  const isExplained = state === "failing" || state === "degraded" || state === "unknown";
  if (!isExplained || newest?.reasons == null || !isCheckType(kind)) return null;
  const text = explainVerdict(kinds[kind], newest.reasons);
  return { text, locations: [...new Set(troubles.map(({ location }) => location))] };
}

export async function countOwnFacets(
  context: ListingContext,
  accountId: string,
  filter: ListFilter,
): Promise<FacetCount[]> {
  const facts = await findListFacts(context, accountId, true);
  return countFacets(context.db, accountId, { filter, facts });
}
