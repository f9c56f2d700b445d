import { nextDueAtMs, type ScheduleContext, type Watched } from "../schedule/index.ts";
import type { CheckState } from "./state.ts";
import { listStaleStates, listStoredStatuses, type StaleState } from "./state-store.ts";

/** Dependencies of the actions. */
export type StatesContext = Pick<ScheduleContext, "db" | "clock" | "watchList">;

/** Returns how long retries may delay the final result of a failing run. */
function findRetryMs({ settings }: Watched): number {
  const { retryStrategy } = settings;
  if (retryStrategy === null) return 0;
  const { type, baseBackoffSeconds, maxDurationSeconds } = retryStrategy;
  const seconds = type === "SINGLE_RETRY" ? baseBackoffSeconds : maxDurationSeconds;
  return seconds * 1_000;
}

/**
 * Returns the time at which the status of a check becomes unknown if no result arrives: two periods
 * plus the maximum duration of a run. Evaluated when a status is read, so that it applies even if
 * no server is running to write it. `null` for a check that does not run.
 */
function findOverdueMs(watched: Watched, lastDueAtMs: number): number | null {
  const { kind, settings, places, plan, sinceMs } = watched;
  if (!kind.isOrdered || !settings.activated || places.length === 0) return null;
  // A check that was changed or activated counts from that time.
  const fromMs = Math.max(lastDueAtMs, nextDueAtMs(plan, sinceMs) - plan.periodMs);
  const lastMs = fromMs + 2 * plan.periodMs;
  return lastMs + kind.deadlineMs(settings) + findRetryMs(watched);
}

interface DatedState {
  readonly status: string;
  readonly since: Date | null;
}

/** Returns the state, or an unknown state if its last result is too old. */
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
 * Returns the current status of each check. A check that never ran, is deactivated or has no recent
 * result is unknown, whatever its last run reported.
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
 * Lists the account's checks without recent results: they are unknown, whatever status is stored.
 * For queries that count or filter by status.
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
