import { nextDueAtMs, type ScheduleContext, type Watched } from "../scheduling/index.ts";
import type { CheckState } from "./state.ts";
import { listStaleStates, listStoredStatuses, type StaleState } from "./state-store.ts";

export type StatesContext = Pick<ScheduleContext, "db" | "clock" | "watchList">;

/** Returns the maximum time by which retries delay the final result of a failing run. */
function findRetryMs({ settings }: Watched): number {
  const { retryStrategy } = settings;
  if (retryStrategy === null) return 0;
  const { type, baseBackoffSeconds, maxDurationSeconds } = retryStrategy;
  const seconds = type === "SINGLE_RETRY" ? baseBackoffSeconds : maxDurationSeconds;
  return seconds * 1_000;
}

/**
 * Returns the time at which the status of a check becomes unknown if no result arrives: after two
 * periods plus the maximum duration of a run with its retries. `null` if no run is scheduled. The
 * rule is applied whenever a status is read, so that it works even if no server is running to
 * update the status.
 */
function findOverdueMs(watched: Watched, lastDueAtMs: number): number | null {
  const { kind, settings, places, plan, sinceMs } = watched;
  if (!kind.isOrdered || !settings.activated || places.length === 0) return null;
  // If the check was changed or activated after its last run, the time counts from the change.
  const fromMs = Math.max(lastDueAtMs, nextDueAtMs(plan, sinceMs) - plan.periodMs);
  const lastMs = fromMs + 2 * plan.periodMs;
  return lastMs + kind.deadlineMs(settings) + findRetryMs(watched);
}

interface DatedState {
  readonly status: string;
  readonly since: Date | null;
}

/** Returns the state. If its last result is too old, the returned status is unknown. */
export function expireOldState<State extends DatedState>(
  state: State,
  watched: Watched | undefined,
  times: { readonly lastDueAt: Date | null; readonly now: Date },
): State {
  if (watched === undefined || times.lastDueAt === null) return state;
  const overdueMs = findOverdueMs(watched, times.lastDueAt.getTime());
  if (overdueMs === null || times.now.getTime() <= overdueMs) return state;
  if (state.status === "unknown") return state;
  return { ...state, status: "unknown", since: new Date(overdueMs) };
}

/**
 * Returns the current status of each check. The status is unknown if the check never ran, is
 * deactivated or has no recent result, even if the last run had a verdict.
 */
export async function mapCurrentStatuses(
  { db, clock, watchList }: StatesContext,
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

/**
 * Lists the account's checks without recent results. Queries that count or filter by status must
 * treat these checks as unknown and ignore their stored status.
 */
export async function listSilentChecks(
  { db, clock, watchList }: StatesContext,
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
