import type { Caller } from "../../../access/accounts/index.ts";
import type { CheckSettings } from "../../../checks/checks/index.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import type { Verdict } from "../../../kinds/kit/verdict.ts";
import { notFound } from "../../../platform/errors.ts";
import {
  findNamedResults,
  listAttempts,
  type ResultRow,
  readDueAtMs,
  verdictNames,
} from "../../results/index.ts";
import type { Watched } from "../../scheduling/index.ts";
import { countCheckStatuses, listPlaceRecords, type PlaceRecord } from "../check-state-store.ts";
import { expireOldState, listSilentChecks, type StatesContext } from "../current-status.ts";
import { explainState, listVotes, ruleOf } from "../state.ts";
import {
  type CheckWithState,
  countStates,
  listStates,
  listWorstStates,
  maxListedStates,
  type StateRow,
} from "../state-store.ts";

type NamedState = StateRow & { readonly name: string };

/** State of a check in responses. A check without runs has no last result and no last location. */
export type ShownState = Omit<NamedState, "last_result_id" | "last_location"> & {
  readonly last_result_id: string | null;
  readonly last_location: string | null;
};

/** Basis of a check's status: settings, newest verdict of each location and deciding runs. */
export interface Decision {
  readonly row: ShownState;
  readonly kind: Kind;
  readonly settings: CheckSettings;
  readonly attempts: readonly ResultRow[];
}

interface Part {
  readonly limit: number;
  readonly page: number;
}

/** Lists the states of the account's checks: one page if `limit` is given, otherwise all. */
export async function listStatuses(
  context: StatesContext,
  caller: Caller,
  query: { readonly limit?: number | undefined; readonly page: number },
): Promise<{ readonly states: NamedState[]; readonly total: number; readonly part: Part }> {
  const { limit, page } = query;
  const part = limit === undefined ? { limit: maxListedStates, page: 1 } : { limit, page };
  const rows = await listStates(context.db, caller.accountId, part);
  const watched = await context.watchList.find(rows.map((row) => row.check_id));
  const now = context.clock.now();
  const states = rows.map((row) =>
    expireOldState(row, watched.get(row.check_id), { lastDueAt: row.last_due_at, now }),
  );
  return { states, total: await countStates(context.db, caller.accountId), part };
}

/** Loads the stored data that explains the status of a check. The status is not computed again. */
export async function getDecision(
  context: StatesContext,
  caller: Caller,
  checkId: string,
): Promise<Decision> {
  const [stored] = await listStates(context.db, caller.accountId, { checkId });
  const watched = (await context.watchList.find([checkId])).get(checkId);
  if (watched?.accountId !== caller.accountId) throw notFound();
  if (stored === undefined) return describeNeverRun(watched);
  const times = { lastDueAt: stored.last_due_at, now: context.clock.now() };
  const row = expireOldState(stored, watched, times);
  const { kind, settings } = watched;
  const votes = Object.values(row.locations).map(({ resultId }) => resultId);
  const deciding = settings.runParallel ? votes : [row.last_result_id];
  const dueTimes = [...new Set(deciding.map(readDueAtMs))];
  return { row, kind, settings, attempts: await listAttempts(context.db, checkId, dueTimes) };
}

/** Returns the explanation for a check that has no result yet. */
function describeNeverRun({ checkId, kind, settings, sinceMs }: Watched): Decision {
  const since = new Date(sinceMs);
  const row: ShownState = {
    check_id: checkId,
    name: settings.name,
    status: "unknown",
    since,
    last_due_at: since,
    last_result_id: null,
    last_location: null,
    last_response_ms: null,
    shortest_run_ms: null,
    longest_run_ms: null,
    consecutive_failures: 0,
    locations: {},
    changed_at: null,
    before_unknown: null,
    created_at: since,
    updated_at: since,
  };
  return { row, kind, settings, attempts: [] };
}

/** Explains the status of a check in one or two sentences. */
export function explainDecision({ row, kind, settings, attempts }: Decision): string {
  if (row.last_result_id === null) {
    if (kind.signals !== undefined) return "Waiting for the first notification.";
    return kind.isOrdered ? "The check has not run yet." : "Waiting for the first ping.";
  }
  const rule = ruleOf(settings.runParallel);
  const votes = listVotes(row.locations);
  const deciding = attempts.filter(
    ({ id, verdict }) => isVote(row, id) && verdictNames[verdict] === row.status,
  );
  // The status is unknown although no run was unknown, so the last result is too old.
  const isOverdue = row.status === "unknown" && deciding.length === 0;
  if (isOverdue) return "No result was received for two periods.";
  const newest = deciding.find(({ id }) => id === row.last_result_id) ?? deciding.at(-1);
  const reasons = newest === undefined ? null : (newest.reasons ?? [{ name: "all-within-limits" }]);
  return explainState(kind, { status: row.status, rule, votes, reasons });
}

function isVote({ locations, last_result_id }: ShownState, id: string): boolean {
  return id === last_result_id || Object.values(locations).some((one) => one.resultId === id);
}

export interface ExplainedState extends CheckWithState {
  /** Newest results that did not pass, one per location. */
  readonly troubles: readonly ResultRow[];
}

interface StatusOverview {
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly states: readonly ExplainedState[];
}

/** Counts checks by status and lists them, worst first, with the results that did not pass. */
export async function overviewStatuses(
  context: StatesContext,
  caller: Caller,
  query: { readonly checkIds: readonly string[] | null; readonly limit: number },
): Promise<StatusOverview> {
  const { db } = context;
  const silent = await listSilentChecks(context, caller.accountId);
  const silentIds = silent.map(({ checkId }) => checkId);
  const [counts, stored] = await Promise.all([
    countCheckStatuses(db, caller.accountId),
    listWorstStates(db, caller.accountId, { ...query, silentIds }),
  ]);
  for (const { status } of silent) counts[status] -= 1;
  counts.unknown += silent.length;
  const found = await expireAll(context, stored);
  const named = found.flatMap(listTroubles);
  const byCheck = Map.groupBy(await findNamedResults(db, named), (row) => row.check_id);
  const states = found.map((one) => ({ ...one, troubles: byCheck.get(one.checkId) ?? [] }));
  return { counts, states };
}

async function expireAll(
  { watchList, clock }: StatesContext,
  stored: readonly CheckWithState[],
): Promise<CheckWithState[]> {
  const watched = await watchList.find(stored.map(({ checkId }) => checkId));
  const now = clock.now();
  return stored.map((one) => {
    if (one.state === null) return one;
    const times = { lastDueAt: one.state.last_due_at, now };
    return { ...one, state: expireOldState(one.state, watched.get(one.checkId), times) };
  });
}

function listTroubles({ checkId, state }: CheckWithState) {
  if (state === null || state.status === "passing") return [];
  return Object.values(state.locations)
    .filter(({ verdict }) => verdict !== "passing")
    .map(({ resultId }) => ({ checkId, resultId }));
}

/** Compares the verdicts of each location with the verdicts of the other locations. */
export function comparePlaces(
  { db }: StatesContext,
  { accountId }: Caller,
): Promise<PlaceRecord[]> {
  return listPlaceRecords(db, accountId);
}
