import { createOrder } from "./orders.ts";
import { nextDueAtMs } from "./schedule.ts";
import type { Watched } from "./watch-list.ts";

/** A run that fails is told of when its retries have ended. */
function findRetryMs({ settings }: Watched): number {
  const { retryStrategy } = settings;
  if (retryStrategy === null) return 0;
  const { type, baseBackoffSeconds, maxDurationSeconds } = retryStrategy;
  const seconds = type === "SINGLE_RETRY" ? baseBackoffSeconds : maxDurationSeconds;
  return seconds * 1_000;
}

/**
 * The moment from which nothing is known of a check, when no run is heard of until then: two
 * periods, and what the last of them may take. It is asked when a status is read, so that it holds
 * when nobody is left who could write it down. Null for a check that does not run.
 */
export function findOverdueMs(watched: Watched, lastDueAtMs: number): number | null {
  const { kind, settings, places, plan, sinceMs } = watched;
  const [location] = places;
  if (!kind.isOrdered || !settings.activated || location === undefined) return null;
  // A check that was changed or switched on counts from then.
  const fromMs = Math.max(lastDueAtMs, nextDueAtMs(plan, sinceMs) - plan.periodMs);
  const lastMs = fromMs + 2 * plan.periodMs;
  const run = { location, dueAtMs: lastMs, startAtMs: lastMs, attempt: 1 };
  return createOrder(watched, run).deadlineAtMs + findRetryMs(watched);
}

interface Heard {
  readonly status: string;
  readonly since: Date | null;
}

/** What was last heard of a check, unless that is too long ago to say anything of now. */
export function doubtOldNews<State extends Heard>(
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
