import type { RunsContext } from "./context.ts";
import { listStoredStatuses } from "./current-status-store.ts";
import { expireOldState } from "./overdue.ts";
import type { CheckState } from "./state.ts";

/**
 * Returns the current status of each check. A check that never ran, is deactivated or has no recent
 * result is unknown, whatever its last run reported.
 */
export async function mapCurrentStatuses(
  { db, clock, watchList }: Pick<RunsContext, "db" | "clock" | "watchList">,
  checkIds: readonly string[],
): Promise<Map<string, CheckState["status"]>> {
  const statuses = new Map<string, CheckState["status"]>(checkIds.map((id) => [id, "unknown"]));
  if (checkIds.length === 0) return statuses;
  const now = clock.now();
  const watched = await watchList.find(checkIds, db);
  for (const stored of await listStoredStatuses(db, checkIds)) {
    const check = watched.get(stored.checkId);
    if (check === undefined || !check.settings.activated) continue;
    const { status } = expireOldState(stored, check, { lastDueAt: stored.lastDueAt, now });
    statuses.set(stored.checkId, status);
  }
  return statuses;
}
