import type { RunsContext } from "./context.ts";
import { doubtOldNews } from "./overdue.ts";
import { listLongUnheard, type UnheardState } from "./state-store.ts";

/**
 * Lists the account's checks without recent results: they are unknown, whatever status is stored.
 * For queries that count or filter by status.
 */
export async function listSilentChecks(
  { db, clock, watchList }: Pick<RunsContext, "db" | "clock" | "watchList">,
  accountId: string,
): Promise<UnheardState[]> {
  const now = clock.now();
  const unheard = await listLongUnheard(db, accountId, now);
  if (unheard.length === 0) return [];
  const watched = await watchList.find(unheard.map(({ checkId }) => checkId));
  return unheard.filter(({ checkId, status, lastDueAt }) => {
    const stored = { status, since: null };
    return doubtOldNews(stored, watched.get(checkId), { lastDueAt, now }) !== stored;
  });
}
