import { sumRunsByHour } from "../../results/index.ts";
import { findFigureKinds } from "../analytics/actions.ts";
import type { HourPoint } from "../rollups/rollup.ts";
import { addRunSums } from "../rollups/rollup.ts";
import { hourMs, startOf } from "../window.ts";
import { createScratch, type FiguresContext, pointOf, withTimesOnly } from "./figures.ts";

export const firstStepMs = 300_000;

/**
 * The current and the previous hour in steps of five minutes, oldest first, for a check that has
 * not run long enough for an hourly line.
 */
export async function readFirstSteps(
  { db, clock }: FiguresContext,
  checkIds: readonly string[],
): Promise<Map<string, readonly HourPoint[]>> {
  if (checkIds.length === 0) return new Map();
  const toMs = clock.now().getTime();
  const fromMs = startOf(toMs, hourMs) - hourMs;
  const checks = (await findFigureKinds(db, checkIds)).map(withTimesOnly);
  const found = new Map(checks.map(({ checkId }) => [checkId, new Map<number, HourPoint>()]));
  const clearFor = createScratch();
  const step = { stepMs: firstStepMs, hasFigures: false };
  for (const row of await sumRunsByHour(db, checks, { fromMs, toMs }, step)) {
    const check = checks[row.place - 1];
    if (check === undefined) continue;
    const total = clearFor(check.kind);
    addRunSums(total, row);
    found.get(check.checkId)?.set(row.startsMs, pointOf(row.startsMs, total));
  }
  const starts = Array.from(
    { length: Math.ceil((toMs - fromMs) / firstStepMs) },
    (_, step) => fromMs + step * firstStepMs,
  );
  const noRuns = { avgMs: null, runs: 0, degraded: 0, failing: 0 };
  return new Map(
    [...found].map(([id, points]) => [
      id,
      starts.map((startsMs) => points.get(startsMs) ?? { startsMs, ...noRuns }),
    ]),
  );
}
