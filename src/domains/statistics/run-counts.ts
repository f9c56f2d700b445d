import { countRunsByLocation, type OfCheck, type RunCounts } from "../results/index.ts";
import { countRolledRuns, findRolledTimes } from "./analytics/analytics-store.ts";
import type { FiguresContext } from "./overviews/figures.ts";
import { blockMs, planPieces, startOf } from "./window.ts";

/**
 * Counts the runs of some checks by verdict since the start of the current block of 32 days, which
 * is the same for all checks. The counts only grow until the next block starts, like counters that
 * reset at a restart. Each check is identified by its index in the list.
 */
export async function countRunsOfBlock(
  { db, clock }: FiguresContext,
  checkIds: readonly string[],
): Promise<readonly (readonly RunCounts[])[]> {
  const counts = checkIds.map(() => new Map<string, RunCounts>());
  if (checkIds.length === 0) return [];
  // Runs that are recorded during this read are included next time.
  const nowMs = clock.now().getTime();
  const window = { fromMs: startOf(nowMs, blockMs), toMs: nowMs };
  const pieces = planPieces(window, await findRolledTimes(db, window, "day"));
  const add = (rows: readonly OfCheck<RunCounts>[]) => {
    for (const { place, ...row } of rows) {
      const ofCheck = counts[place - 1];
      const before = ofCheck?.get(row.location);
      ofCheck?.set(row.location, before === undefined ? row : addCounts(before, row));
    }
  };
  add(await countRolledRuns(db, checkIds, pieces));
  for (const span of pieces.raw) add(await countRunsByLocation(db, checkIds, span));
  return counts.map((ofCheck) => [...ofCheck.values()]);
}

function addCounts(one: RunCounts, other: RunCounts): RunCounts {
  return {
    location: one.location,
    passing: one.passing + other.passing,
    degraded: one.degraded + other.degraded,
    failing: one.failing + other.failing,
    retries: one.retries + other.retries,
  };
}
