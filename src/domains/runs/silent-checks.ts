import type { RunsContext } from "./context.ts";
import { expireOldState } from "./overdue.ts";
import { listStaleStates, type StaleState } from "./state-store.ts";

/**
 * Lists the account's checks without recent results: they are unknown, whatever status is stored.
 * For queries that count or filter by status.
 */
export async function listSilentChecks(
  { db, clock, watchList }: Pick<RunsContext, "db" | "clock" | "watchList">,
  accountId: string,
): Promise<StaleState[]> {
  const now = clock.now();
  const stale = await listStaleStates(db, accountId, now);
  if (stale.length === 0) return [];
  const watched = await watchList.find(stale.map(({ checkId }) => checkId));
  return stale.filter(({ checkId, status, lastDueAt }) => {
    const stored = { status, since: null };
    return expireOldState(stored, watched.get(checkId), { lastDueAt, now }) !== stored;
  });
}
