import type { Kind } from "../../../kinds/kit/kind.ts";
import type { Database } from "../../../platform/database.ts";
import {
  addToSketch,
  createSketch,
  encodeSketch,
  mergeSketch,
  type Sketch,
} from "../../../platform/sketch.ts";
import { findOldestPartition } from "../../results/index.ts";
import { aggregate } from "../sketch-statistics.ts";
import { dayMs, hourlyKeptFrom, hourMs, keptDays, startOf } from "../window.ts";
import type { PlainRollups } from "./rollup.ts";
import {
  insertPlainRollups,
  listRolled,
  markRolled,
  type RollupUnit,
  totalMs,
} from "./rollup-store.ts";

/** Location of imported runs, which separates them from runs that this server measured. */
const importedLocation = "imported";

/** Runs of one check in one hour or day. The times are in milliseconds, or `null` if unknown. */
export interface ImportedSlot {
  readonly startMs: number;
  readonly up: number;
  readonly down: number;
  readonly avgMs: number | null;
  readonly minMs: number | null;
  readonly maxMs: number | null;
}

/** Imported history of a check that has no roll-ups yet. The slots are sorted by time. */
export interface ImportedRuns {
  readonly checkId: string;
  readonly kind: Kind;
  readonly hours: readonly ImportedSlot[];
  readonly days: readonly ImportedSlot[];
}

/** Fills a sketch to match count, minimum, maximum and average. Percentiles are estimates. */
function addTimes(sketch: Sketch, { up, avgMs, minMs, maxMs }: ImportedSlot): void {
  if (avgMs === null || up <= 0) return;
  const lowest = minMs ?? avgMs;
  const highest = maxMs ?? avgMs;
  if (up < 3 || !(lowest <= avgMs && avgMs <= highest)) {
    addToSketch(sketch, avgMs, up);
    return;
  }
  const restMs = (avgMs * up - lowest - highest) / (up - 2);
  addToSketch(sketch, lowest);
  addToSketch(sketch, highest);
  addToSketch(sketch, Math.min(Math.max(restMs, lowest), highest), up - 2);
}

/**
 * Number of rows per insert statement: high enough to make the overhead of a statement negligible,
 * and low enough to keep each statement short.
 */
const rowsAtOnce = 5_000;

const createColumns = (): PlainRollups => ({
  ...{ checkIds: [], startsMs: [], passing: [], failing: [], sampleCounts: [], sampleSumsMs: [] },
  ...{ samples: [], totalSamples: [] },
});

/**
 * Appends one row per slot of a check to `rows`. Each row contains the sketch of the slot and the
 * sketch of the running total. The running total restarts at the start of each period.
 */
function addSlots(
  rows: PlainRollups,
  checkId: string,
  slots: readonly ImportedSlot[],
  periodMs: number,
): void {
  let periodStartMs: number | null = null;
  let total = createSketch();
  for (const slot of slots) {
    const startOfOwn = startOf(slot.startMs, periodMs);
    if (startOfOwn !== periodStartMs) {
      periodStartMs = startOfOwn;
      total = createSketch();
    }
    const samples = createSketch();
    addTimes(samples, slot);
    mergeSketch(total, samples);
    rows.checkIds.push(checkId);
    rows.startsMs.push(slot.startMs);
    rows.passing.push(slot.up);
    rows.failing.push(slot.down);
    rows.sampleCounts.push(samples.count);
    rows.sampleSumsMs.push(aggregate(samples, "sum") ?? 0);
    rows.samples.push(encodeSketch(samples));
    rows.totalSamples.push(encodeSketch(total));
  }
}

async function importUnit(
  db: Database,
  unit: RollupUnit,
  runs: readonly ImportedRuns[],
  isKept: (startMs: number) => boolean,
): Promise<void> {
  for (const [kind, some] of Map.groupBy(runs, (one) => one.kind)) {
    let rows = createColumns();
    const flush = async () => {
      if (rows.checkIds.length === 0) return;
      await insertPlainRollups(db, { unit, kind, location: importedLocation }, rows);
      rows = createColumns();
    };
    for (const { checkId, hours, days } of some) {
      const slots = (unit === "hour" ? hours : days).filter(({ startMs }) => isKept(startMs));
      addSlots(rows, checkId, slots, totalMs[unit]);
      if (rows.checkIds.length >= rowsAtOnce) await flush();
    }
    await flush();
  }
}

/**
 * Marks the hours and days before the oldest partition of this server's results as rolled up.
 * Queries read only roll-ups of marked hours and days, so they would otherwise ignore the imported
 * roll-ups.
 */
async function markEarlier(db: Database, fromMs: number, nowMs: number): Promise<void> {
  const oldestMs = await findOldestPartition(db);
  const untilMs = startOf(Math.min(oldestMs, nowMs), dayMs);
  const listStarts = (startMs: number, stepMs: number) =>
    Array.from(
      { length: Math.max(0, (untilMs - startMs) / stepMs) },
      (_, n) => startMs + n * stepMs,
    );
  await markRolled(db, "day", listStarts(startOf(fromMs, dayMs), dayMs));
  const hourlyFromMs = Math.max(startOf(fromMs, dayMs), hourlyKeptFrom(nowMs));
  await markRolled(db, "hour", listStarts(hourlyFromMs, hourMs));
}

/**
 * Stores the history from another monitor as roll-ups. Only hours and days that are already rolled
 * up are imported, because this server measures the later hours and days.
 */
export async function importRollups(
  db: Database,
  runs: readonly ImportedRuns[],
  nowMs: number,
): Promise<void> {
  const starts = runs.flatMap(({ hours, days }) => [hours[0]?.startMs, days[0]?.startMs]);
  const firstMs = Math.min(...starts.filter((start) => start !== undefined));
  if (!Number.isFinite(firstMs)) return;
  const oldestMs = startOf(nowMs, dayMs) - keptDays.daily * dayMs;
  await markEarlier(db, Math.max(firstMs, oldestMs), nowMs);
  const rolledHours = await listRolled(db, "hour", hourlyKeptFrom(nowMs));
  const rolledDays = await listRolled(db, "day", oldestMs);
  await importUnit(db, "hour", runs, (startMs) => rolledHours.has(startMs));
  await importUnit(db, "day", runs, (startMs) => rolledDays.has(startMs));
}
