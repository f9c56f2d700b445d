import type { Kind } from "../../../kinds/kind.ts";
import type { Database } from "../../../platform/database.ts";
import { addToSketch, type Sketch } from "../../../platform/sketch.ts";
import { findOldestPartition } from "../../results/index.ts";
import { dayMs, hourlyKeptFrom, hourMs, keptDays, startOf } from "../window.ts";
import { createRollup, type Rollup } from "./rollup.ts";
import { type CheckWithKind, saveUnit } from "./rollup-builder.ts";
import { listRolled, markRolled, type RollupUnit } from "./rollup-store.ts";

/** Location of runs that another monitor did, so that they are not mistaken for measured ones. */
const importedLocation = "imported";

/** Runs of one check in one hour or day. Times are in milliseconds; `null` if there are none. */
export interface ImportedSlot {
  readonly startMs: number;
  readonly up: number;
  readonly down: number;
  readonly avgMs: number | null;
  readonly minMs: number | null;
  readonly maxMs: number | null;
}

export interface ImportedRuns {
  readonly checkId: string;
  readonly kind: Kind;
  readonly hours: readonly ImportedSlot[];
  readonly days: readonly ImportedSlot[];
}

/** Fills a sketch so that count, minimum, maximum and average match. Percentiles are estimates. */
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

function toRollup(kind: Kind, slot: ImportedSlot): Rollup {
  const rollup = createRollup(kind);
  rollup.passing = slot.up;
  rollup.failing = slot.down;
  addTimes(rollup.samples, slot);
  return rollup;
}

async function importUnit(
  db: Database,
  unit: RollupUnit,
  runs: readonly ImportedRuns[],
  isKept: (startMs: number) => boolean,
): Promise<void> {
  const slots = runs.flatMap(({ checkId, kind, hours, days }) =>
    (unit === "hour" ? hours : days).map((slot) => ({ checkId, kind, slot })),
  );
  const kept = slots.filter(({ slot }) => isKept(slot.startMs));
  const byStart = Map.groupBy(kept, ({ slot }) => slot.startMs);
  // Totals add up, so that the oldest comes first.
  for (const startMs of [...byStart.keys()].sort((one, other) => one - other)) {
    const some = byStart.get(startMs) ?? [];
    const placed = some.map(({ checkId, kind, slot }) => ({
      checkId,
      location: importedLocation,
      rollup: toRollup(kind, slot),
    }));
    const checks: CheckWithKind[] = some.map(({ checkId, kind }) => ({ checkId, kind }));
    await saveUnit(db, { unit, startMs }, { placed, checks });
  }
}

/** Marks the time before the first result of this installation as rolled up, so that it is read. */
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
 * Stores the history of another monitor as roll-ups. Only hours and days that are closed here
 * count: what runs afterwards is measured.
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
