import type { Verdict } from "../../../kinds/verdict.ts";
import type { Caller } from "../../accounts/index.ts";
import { countCheckStatuses } from "../../checks/index.ts";
import { findNamedResults, type ResultRow } from "../../results/index.ts";
import type { StatesContext } from "../context.ts";
import { expireOldState, listSilentChecks } from "../current-status.ts";
import { type CheckWithState, listWorstStates } from "../state-store.ts";

export interface ExplainedState extends CheckWithState {
  /** The newest results that did not pass, one per location. */
  readonly troubles: readonly ResultRow[];
}

export interface StatusOverview {
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly states: readonly ExplainedState[];
}

/** Lists the account's checks, worst first, with the results that did not pass. */
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
