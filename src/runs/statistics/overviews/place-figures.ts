import { decodeSketchesInto } from "../../../platform/sketch.ts";
import {
  countRunsByLocation,
  type OfCheck,
  type RunCounts,
  type RunSums,
  sumRunsByHour,
  sumRunsByLocation,
} from "../../results/index.ts";
import { findFigureKinds } from "../analytics/actions.ts";
import { countRolledRuns, findRolledTimes } from "../analytics/analytics-store.ts";
import {
  addRunSums,
  createTotal,
  type FigureKind,
  type HourPoint,
  type Rollup,
} from "../rollups/rollup.ts";
import { aggregate, readShares } from "../sketch-statistics.ts";
import { computeAvailability } from "../uptime.ts";
import { blockMs, hourMs, planPieces, startOf } from "../window.ts";
import {
  createScratch,
  type FiguresContext,
  planWindows,
  pointOf,
  withTimesOnly,
} from "./figures.ts";
import { type LocationRow, sumHoursByLocation } from "./overview-store.ts";

/**
 * Counts runs by verdict since the start of the current block of 32 days. Blocks start at the same
 * time for all checks. Within a block the counts only increase, like counters that reset at a
 * restart. The returned array has the order of the given ids.
 */
export async function countRunsOfBlock(
  { db, clock }: FiguresContext,
  checkIds: readonly string[],
): Promise<readonly (readonly RunCounts[])[]> {
  const counts = checkIds.map(() => new Map<string, RunCounts>());
  if (checkIds.length === 0) return [];
  // Runs recorded after this time are counted by the next call.
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

export const firstStepMs = 300_000;

/**
 * Returns points for the current and the previous hour in steps of five minutes, oldest first. Used
 * for checks that have not run long enough for a line of hourly points.
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

/** Figures of the last day for one check at one location. */
export interface PlaceFigures {
  readonly location: string;
  readonly availability: number | null;
  readonly avgMs: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

function addHours(sum: Rollup, row: LocationRow): void {
  sum.passing += row.passing;
  sum.degraded += row.degraded;
  sum.failing += row.failing;
  if (row.samples) decodeSketchesInto(row.samples, sum.samples);
}

/** Returns the figures of the last day by location, keyed by check id. */
export async function readPlaceFigures(
  context: FiguresContext,
  checkIds: readonly string[],
): Promise<Map<string, readonly PlaceFigures[]>> {
  if (checkIds.length === 0) return new Map();
  const { db } = context;
  const [{ dayPieces }, checks] = await Promise.all([
    planWindows(context),
    findFigureKinds(db, checkIds),
  ]);
  const found = checks.map(({ kind }) => ({ kind, sums: new Map<string, Rollup>() }));
  const sumOf = (row: OfCheck<{ readonly location: string }>) => {
    const check = found[row.place - 1];
    return check === undefined ? null : findSum(check, row.location);
  };
  const addRolled = async () => {
    // A day that already has a daily roll-up still has its hourly roll-ups. The hourly roll-ups are
    // therefore used for all spans.
    const spans = [...dayPieces.hours, ...dayPieces.days];
    for (const row of await sumHoursByLocation(db, checkIds, spans)) {
      const sum = sumOf(row);
      if (sum !== null) addHours(sum, row);
    }
  };
  const addRuns = (rows: readonly OfCheck<RunSums & { readonly location: string }>[]) => {
    for (const row of rows) {
      const sum = sumOf(row);
      if (sum !== null) addRunSums(sum, row);
    }
  };
  await Promise.all([
    addRolled(),
    ...dayPieces.raw.map((span) => sumRunsByLocation(db, checks, span).then(addRuns)),
  ]);
  return new Map(
    found.map(({ sums }, index) => [
      checkIds[index] ?? "",
      [...sums].map(describeLocation).sort(byLocation),
    ]),
  );
}

function findSum(
  { kind, sums }: { readonly kind: FigureKind; readonly sums: Map<string, Rollup> },
  location: string,
): Rollup {
  const sum = sums.get(location) ?? createTotal(kind);
  sums.set(location, sum);
  return sum;
}

function describeLocation([location, sum]: [string, Rollup]): PlaceFigures {
  const [p95Ms = null, p99Ms = null] = readShares(sum.samples, [0.95, 0.99]);
  return {
    location,
    availability: computeAvailability(sum),
    avgMs: aggregate(sum.samples, "avg"),
    p95Ms,
    p99Ms,
  };
}

function byLocation(one: PlaceFigures, other: PlaceFigures): number {
  return one.location < other.location ? -1 : 1;
}
