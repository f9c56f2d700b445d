import { setImmediate } from "node:timers/promises";
import type { Kind } from "../../../kinds/kit/kind.ts";
import { type Database, inTransaction, onOneConnection } from "../../../platform/database.ts";
import { type Loop, startLoop, takeEach } from "../../../platform/loop.ts";
import { clearQuarantine, isTransient, quarantine } from "../../../platform/quarantine.ts";
import {
  type CheckHour,
  deleteLateHour,
  listLateHours,
  markLateHours,
  nameCheckHour,
  rollupWork,
  takeLateHours,
} from "../../recording/index.ts";
import {
  findOldestPartition,
  hasResults,
  type OfCheck,
  sumRunsByLocation,
} from "../../results/index.ts";
import type { StatisticsContext } from "../context.ts";
import { blockMs, dayMs, hourlyKeptFrom, hourMs, keptDays, startOf } from "../window.ts";
import {
  addRolledRow,
  addRunSums,
  addSummaryRow,
  createRollup,
  createTotal,
  type Rollup,
} from "./rollup.ts";
import {
  deleteRollupsBefore,
  findLastRolledHour,
  listRolled,
  listWatchedIdsAfter,
  listWatchedKinds,
  markRolled,
  type PlacedRollup,
  type RollupUnit,
  type RunningTotal,
  readHoursOfDay,
  releaseRollupLock,
  saveRollups,
  saveRunningTotals,
  sumLocations,
  totalMs,
  tryRollupLock,
} from "./rollup-store.ts";

type BuilderContext = Pick<StatisticsContext, "db" | "clock" | "log">;

/**
 * Time between the end of an hour and its roll-up. The recorder marks results as late if they
 * arrive more than five minutes after their hour. One minute later, every result that was not
 * marked is committed or its transaction was cancelled.
 */
const closedForMs = 360_000;
/** Maximum number of checks per statement, so that each statement is short. */
const chunkSize = 200;
const repairsAtOnce = 100;
/** Maximum number of hours per call, so that a server with a backlog can stop between calls. */
const hoursPerTurn = 200;
const lowestId = "00000000-0000-0000-0000-000000000000";

interface RolledUp {
  readonly hours: number;
  readonly days: number;
}

/** Runs the work while holding the roll-up lock; `null` if another server holds the lock. */
async function whileOnlyOne<Outcome>(
  { db }: BuilderContext,
  work: (db: Database) => Promise<Outcome>,
): Promise<Outcome | null> {
  return onOneConnection(db, async (connection) => {
    if (!(await tryRollupLock(connection))) return null;
    try {
      return await work(connection);
    } finally {
      // If the connection failed, the release also throws, but the lock is already released then.
      await releaseRollupLock(connection);
    }
  });
}

/** Rolls up all closed hours that are not rolled up yet, oldest first, and then complete days. */
export function rollUpClosedHours(context: BuilderContext): Promise<RolledUp | null> {
  return whileOnlyOne(context, async (db) => {
    const nowMs = context.clock.now().getTime();
    const oldestMs = await findOldestPartition(context.db);
    const hours = await listHoursToRoll(db, oldestMs, nowMs);
    for (const [dayStartMs, some] of Map.groupBy(hours, (hour) => startOf(hour, dayMs))) {
      // On a day without results, for example before the installation, there is nothing to roll up.
      // The hours of this day are only marked as rolled up.
      const day = { fromMs: dayStartMs, toMs: dayStartMs + dayMs };
      if (await hasResults(db, day)) await rollUpHours(context, db, some);
      else await markRolled(db, "hour", some);
    }
    const days = await listDaysToRoll(db, nowMs);
    for (const startMs of days) {
      await rollUpAllChecks(context, db, { unit: "day", startMs });
      await markRolled(db, "day", [startMs]);
    }
    return { hours: hours.length, days: days.length };
  });
}

async function rollUpHours(
  context: BuilderContext,
  db: Database,
  hours: readonly number[],
): Promise<void> {
  for (const startMs of hours) {
    await rollUpAllChecks(context, db, { unit: "hour", startMs });
    await markRolled(db, "hour", [startMs]);
  }
}

async function listHoursToRoll(db: Database, oldestMs: number, nowMs: number): Promise<number[]> {
  const lastMs = await findLastRolledHour(db);
  // Starts at the earlier of oldest result and last rolled-up hour, so that no hour is skipped.
  const firstMs = Math.min(oldestMs, lastMs === null ? Number.POSITIVE_INFINITY : lastMs + hourMs);
  const fromMs = Math.max(startOf(firstMs, hourMs), hourlyKeptFrom(nowMs));
  if (!Number.isFinite(fromMs)) return [];
  const rolled = await listRolled(db, "hour", fromMs);
  const hours: number[] = [];
  for (let at = fromMs; at + hourMs + closedForMs <= nowMs; at += hourMs) {
    if (!rolled.has(at)) hours.push(at);
    if (hours.length === hoursPerTurn) break;
  }
  return hours;
}

async function listDaysToRoll(db: Database, nowMs: number): Promise<number[]> {
  const fromMs = hourlyKeptFrom(nowMs);
  const hours = await listRolled(db, "hour", fromMs);
  const days = await listRolled(db, "day", fromMs);
  const complete: number[] = [];
  for (let day = fromMs; day + dayMs <= nowMs; day += dayMs) {
    const isWhole = Array.from({ length: 24 }, (_, hour) => day + hour * hourMs).every((hour) =>
      hours.has(hour),
    );
    if (isWhole && !days.has(day)) complete.push(day);
  }
  return complete;
}

interface UnitSpan {
  readonly unit: RollupUnit;
  readonly startMs: number;
}

async function rollUpAllChecks(
  context: BuilderContext,
  db: Database,
  span: UnitSpan,
): Promise<void> {
  let after = lowestId;
  while (true) {
    const checkIds = await listWatchedIdsAfter(db, after, chunkSize);
    const last = checkIds.at(-1);
    if (last === undefined) return;
    after = last;
    await eachApart(
      checkIds,
      (some) => rollUpChecks(db, span, some),
      async (checkId, error) => {
        const hour = { checkId, hourMs: span.startMs };
        // The hour is marked as late, because the repair of a late hour also repairs its day.
        if (await leaveForLater(context, hour, error)) await markLateHours(db, [hour]);
      },
    );
    await setImmediate();
  }
}

/**
 * Runs the work on all items. If the work fails permanently, splits the items in halves until only
 * the failing items remain. `failOne` receives each failing item with its error.
 */
async function eachApart<Item>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<void>,
  failOne: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  try {
    return await work(items);
  } catch (error) {
    if (isTransient(error)) throw error;
    const [item] = items;
    if (items.length === 1 && item !== undefined) return failOne(item, error);
  }
  const middle = Math.ceil(items.length / 2);
  await eachApart(items.slice(0, middle), work, failOne);
  await eachApart(items.slice(middle), work, failOne);
}

/** Quarantines an hour of a check for a later retry. Returns false at the retry limit. */
async function leaveForLater(
  context: BuilderContext,
  hour: CheckHour,
  error: unknown,
): Promise<boolean> {
  const now = context.clock.now();
  const aside = { work: rollupWork, key: nameCheckHour(hour), error, now };
  return (await quarantine(context, aside)) !== null;
}

interface CheckWithKind {
  readonly checkId: string;
  readonly kind: Kind;
}

/** Returns the checks with their kinds, without deleted checks. */
async function findKinds(db: Database, checkIds: readonly string[]): Promise<CheckWithKind[]> {
  const kinds = await listWatchedKinds(db, checkIds);
  return [...kinds].map(([checkId, kind]) => ({ checkId, kind }));
}

async function readUnit(
  db: Database,
  { unit, startMs }: UnitSpan,
  checks: readonly CheckWithKind[],
): Promise<PlacedRollup[]> {
  const placed: PlacedRollup[] = [];
  const place = (row: OfCheck<{ readonly location: string }>, add: (rollup: Rollup) => void) => {
    const check = checks[row.place - 1];
    if (check === undefined) return;
    const rollup = createRollup(check.kind);
    add(rollup);
    placed.push({ checkId: check.checkId, location: row.location, rollup });
  };
  if (unit === "hour") {
    const hour = { fromMs: startMs, toMs: startMs + hourMs };
    for (const row of await sumRunsByLocation(db, checks, hour)) {
      place(row, (rollup) => addRunSums(rollup, row));
    }
  } else {
    const checkIds = checks.map(({ checkId }) => checkId);
    for (const row of await readHoursOfDay(db, checkIds, startMs)) {
      place(row, (rollup) => addRolledRow(rollup, row));
    }
  }
  return placed;
}

/**
 * Rolls up an hour or day of some checks. One statement writes all locations and one statement all
 * totals, so that each table is changed completely or not at all.
 */
async function rollUpChecks(
  db: Database,
  span: UnitSpan,
  checkIds: readonly string[],
): Promise<void> {
  const checks = await findKinds(db, checkIds);
  const placed = await readUnit(db, span, checks);
  await saveRollups(db, span, placed);
  // A check without runs needs no new running total, because its previous total is still correct.
  const ran = new Set(placed.map(({ checkId }) => checkId));
  await saveTotals(
    db,
    span,
    checks.filter(({ checkId }) => ran.has(checkId)),
  );
}

const stepMs: Readonly<Record<RollupUnit, number>> = { hour: hourMs, day: dayMs };

/**
 * Computes running totals from all roll-ups since the start of the period, not from the previous
 * running total. A repeated computation therefore gives the same totals.
 */
async function saveTotals(
  db: Database,
  { unit, startMs }: UnitSpan,
  checks: readonly CheckWithKind[],
): Promise<void> {
  if (checks.length === 0) return;
  const span = { fromMs: startOf(startMs, totalMs[unit]), toMs: startMs + stepMs[unit] };
  const totals: RunningTotal[] = [];
  for (const row of await sumLocations(db, unit, checks, span)) {
    const check = checks[row.place - 1];
    if (check === undefined) continue;
    const total = createTotal(check.kind);
    addSummaryRow(total, row);
    totals.push({ checkId: check.checkId, total, hours: row.hours });
  }
  await saveRunningTotals(db, { unit, startMs }, totals);
}

/** Rolls up hours with late results again, and their days if those are rolled up already. */
export function repairLateHours(context: BuilderContext): Promise<number | null> {
  return whileOnlyOne(context, async (db) => {
    const now = context.clock.now();
    let repaired = 0;
    while (true) {
      const repairs = await listLateHours(db, now, repairsAtOnce);
      if (repairs.length === 0) return repaired;
      await eachApart(
        repairs,
        async (some) => {
          await inTransaction(db, (transaction) => repairSome(transaction, some));
          repaired += some.length;
        },
        async (hour, error) => {
          if (!(await leaveForLater(context, hour, error))) await deleteLateHour(db, hour);
        },
      );
      await setImmediate();
    }
  });
}

async function repairSome(db: Database, repairs: readonly CheckHour[]): Promise<void> {
  await takeLateHours(db, repairs);
  const byHour = Map.groupBy(repairs, (repair) => repair.hourMs);
  const hours = [...byHour.keys()].sort((one, other) => one - other);
  for (const startMs of hours) {
    const checkIds = (byHour.get(startMs) ?? []).map(({ checkId }) => checkId);
    await repairUnit(db, { unit: "hour", startMs }, checkIds);
  }
  const byDay = Map.groupBy(repairs, (repair) => startOf(repair.hourMs, dayMs));
  const rolledDays = await listRolled(db, "day", Math.min(...byDay.keys()));
  const days = [...byDay.keys()].filter((day) => rolledDays.has(day));
  for (const startMs of days.sort((one, other) => one - other)) {
    const checkIds = new Set((byDay.get(startMs) ?? []).map(({ checkId }) => checkId));
    await repairUnit(db, { unit: "day", startMs }, [...checkIds]);
  }
  await clearQuarantine(db, rollupWork, repairs.map(nameCheckHour));
}

/**
 * Rolls up one hour or day of some checks again. The later running totals of the period include
 * this hour or day, so they are also computed again.
 */
async function repairUnit(
  db: Database,
  { unit, startMs }: UnitSpan,
  checkIds: readonly string[],
): Promise<void> {
  await rollUpChecks(db, { unit, startMs }, checkIds);
  const endMs = startOf(startMs, totalMs[unit]) + totalMs[unit];
  const checks = await findKinds(db, checkIds);
  const rolled = await listRolled(db, unit, startMs + stepMs[unit]);
  for (const later of [...rolled].filter((timeMs) => timeMs < endMs)) {
    await saveTotals(db, { unit, startMs: later }, checks);
  }
}

/** Deletes roll-ups older than their retention and returns the number of deleted roll-ups. */
export function pruneRollups(context: BuilderContext): Promise<number | null> {
  return whileOnlyOne(context, async (db) => {
    const nowMs = context.clock.now().getTime();
    const hourly = await deleteRollupsBefore(db, "hour", hourlyKeptFrom(nowMs));
    // Deletes only whole blocks, because queries subtract totals of a block from each other.
    const dailyFrom = startOf(nowMs - keptDays.daily * dayMs, blockMs);
    return hourly + (await deleteRollupsBefore(db, "day", dailyFrom));
  });
}

/** Executes one iteration of the loop: rolls up, repairs and deletes. */
export function keepRollups(context: BuilderContext): Promise<void> {
  return takeEach([
    () => rollUpClosedHours(context),
    () => repairLateHours(context),
    () => pruneRollups(context),
  ]);
}

/** Maximum duration of an iteration, which may have to roll up several days after an outage. */
const catchUpMs = 1_800_000;

export function startStatisticsLoops(context: StatisticsContext): Loop[] {
  return [
    startLoop({
      name: "roll statistics up",
      everyMs: 60_000,
      isEssential: false,
      maxTurnMs: catchUpMs,
      log: context.log,
      turn: () => keepRollups(context),
    }),
  ];
}
