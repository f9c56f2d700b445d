import { allKinds, isCheckType, kinds } from "../../../kinds/index.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import { createSketch, encodeSketch, type Sketch } from "../../../platform/sketch.ts";
import type { OfCheck } from "../../results/index.ts";
import { aggregate } from "../sketch-statistics.ts";
import { blockMs, dayMs } from "../window.ts";
import type { PlainRollups, RolledRow, Rollup } from "./rollup.ts";
import {
  counterKeys,
  hourRecordSql,
  joinSketches,
  partKeys,
  sumCounters,
  summaryPartKeys,
} from "./rollup.ts";

export type RollupUnit = "hour" | "day";

export interface PlacedRollup {
  readonly checkId: string;
  readonly location: string;
  readonly rollup: Rollup;
}

const tables = {
  hour: { rollups: "hourly_rollups", totals: "hourly_running_totals" },
  day: { rollups: "daily_rollups", totals: "daily_running_totals" },
} as const;
/** Length of the period after which running totals restart, for each unit. */
export const totalMs: Readonly<Record<RollupUnit, number>> = { hour: dayMs, day: blockMs };
/** Key of the advisory lock. Other programs in the same database must not use this key. */
const rollupLock = 7_333_885;
/** Maximum number of rows that one statement deletes. */
const deleteBatch = 20_000;

/** A server that holds the roll-up lock but hangs for this time loses the lock. */
const stillMs = 10_000;

/** Tries to acquire the roll-up lock. Closing the connection also releases the lock. */
export async function tryRollupLock(db: Database): Promise<boolean> {
  const rows = await runSql<{ is_held: boolean }>(
    db,
    "select pg_try_advisory_lock($1) as is_held",
    [rollupLock],
  );
  const isHeld = rows[0]?.is_held ?? false;
  if (isHeld) await limitIdling(db, stillMs);
  return isHeld;
}

/** Sets the idle time after which PostgreSQL closes the session. 0 disables the limit. */
async function limitIdling(db: Database, idleMs: number): Promise<void> {
  await runSql(db, "select set_config('idle_session_timeout', $1, false)", [String(idleMs)]);
}

export async function releaseRollupLock(db: Database): Promise<void> {
  await limitIdling(db, 0);
  await runSql(db, "select pg_advisory_unlock($1)", [rollupLock]);
}

/** Returns the start times of rolled-up hours or days since the given time. */
export async function listRolled(
  db: Database,
  unit: RollupUnit,
  fromMs: number,
): Promise<Set<number>> {
  const rows = await runSql<{ ms: number }>(
    db,
    `select extract(epoch from starts_at)::float8 * 1000 as ms from rollup_progress
      where unit = $1 and starts_at >= to_timestamp($2::float8 / 1000)`,
    [unit, fromMs],
  );
  return new Set(rows.map(({ ms }) => ms));
}

export async function findLastRolledHour(db: Database): Promise<number | null> {
  const rows = await runSql<{ ms: number | null }>(
    db,
    `select extract(epoch from max(starts_at))::float8 * 1000 as ms from rollup_progress
      where unit = 'hour'`,
  );
  return rows[0]?.ms ?? null;
}

export async function markRolled(
  db: Database,
  unit: RollupUnit,
  starts: readonly number[],
): Promise<void> {
  await runSql(
    db,
    `insert into rollup_progress (unit, starts_at)
      select $1, to_timestamp(ms / 1000) from unnest($2::float8[]) as start (ms)
      on conflict do nothing`,
    [unit, starts],
  );
}

const countRuns = `sum(runs[1]) as unknown, sum(runs[2]) as passing, sum(runs[3]) as degraded,
  sum(runs[4]) as failing`;

/** Sums the hourly roll-ups of a day. Returns one row per check and location. */
export function readHoursOfDay(
  db: Database,
  checkIds: readonly string[],
  startMs: number,
): Promise<OfCheck<RolledRow & { readonly location: string }>[]> {
  return runPrepared(db, {
    name: "read-hours-of-day",
    text: `select place::int, found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        select location, ${countRuns}, sum(retries) as retries, ${sumCounters()},
          string_agg(samples, ''::bytea) as samples, ${joinSketches(partKeys)}
        from hourly_rollups
        where hourly_rollups.check_id = wanted.check_id
          and starts_at >= to_timestamp($2::float8 / 1000)
          and starts_at < to_timestamp($3::float8 / 1000)
        group by location
      ) as found`,
    values: [checkIds, startMs, startMs + dayMs],
  });
}

/** Sums over all locations of a check. Sums of hours also contain the encoded hourly points. */
type SumOfLocations = OfCheck<RolledRow & { readonly hours: Uint8Array | null }>;

const summaryPlaces = summaryPartKeys.map((key) => ({
  key,
  // Reads the parts that summaries show. Each kind has different indexes for these parts.
  join: `string_agg(parts[case kind ${allKinds
    .map(({ type, parts }) => {
      const shown = parts.flatMap(({ summary }, place) => (summary === undefined ? [] : place + 1));
      return `when '${type}' then ${shown[summaryPartKeys.indexOf(key)] ?? "null"}`;
    })
    .join(" ")} end], ''::bytea) as ${key}`,
}));

/** Sums the roll-ups of all locations over whole hours or days: a row per check that has any. */
export function sumLocations(
  db: Database,
  unit: RollupUnit,
  checks: readonly { readonly checkId: string; readonly kind: Pick<Kind, "type"> }[],
  span: { readonly fromMs: number; readonly toMs: number },
): Promise<SumOfLocations[]> {
  const { rollups } = tables[unit];
  const hours =
    unit === "hour" ? `string_agg(${hourRecordSql}, ''::bytea order by starts_at)` : "null";
  return runPrepared(db, {
    name: `sum-locations-${unit}`,
    text: `select place::int, found.*
      from unnest($1::uuid[], $2::text[]) with ordinality as wanted (check_id, kind, place)
      cross join lateral (
        select sum(unknown) as unknown, sum(passing) as passing, sum(degraded) as degraded,
          sum(failing) as failing, 0 as retries,
          ${counterKeys.map((key) => `sum(${key}) as ${key}`).join(", ")},
          ${["samples", ...summaryPartKeys]
            .map((key) => `string_agg(${key}, ''::bytea) as ${key}`)
            .join(", ")}, ${hours} as hours
        from (
          select starts_at, ${countRuns}, ${sumCounters()},
            string_agg(samples, ''::bytea) as samples,
            ${summaryPlaces.map(({ join }) => `${join},`).join(" ")}
            sum(sample_count) as sample_count, sum(sample_sum_ms) as sample_sum_ms
          from ${rollups} where ${rollups}.check_id = wanted.check_id
            and starts_at >= to_timestamp($3::float8 / 1000)
            and starts_at < to_timestamp($4::float8 / 1000)
          group by starts_at
        ) as one
        having count(*) > 0
      ) as found`,
    values: [
      checks.map(({ checkId }) => checkId),
      checks.map(({ kind }) => kind.type),
      span.fromMs,
      span.toMs,
    ],
  });
}

interface UnitSpan {
  readonly unit: RollupUnit;
  readonly startMs: number;
}

/**
 * Passes the elements of an array column as separate parameters, because PostgreSQL would flatten
 * an array of arrays. Some kinds have fewer elements than there are parameters. Their remaining
 * parameters are null, and these null values are removed from the array.
 */
const elementsOf = (keys: readonly string[], type: string, from: number) => ({
  parameters: keys.map((_, place) => `$${from + place}::${type}[]`),
  array: `array_remove(array[${keys.join(", ")}]::${type}[], null)`,
});

const encodePart = (part: Sketch | null | undefined) => (part ? encodeSketch(part) : null);

/** Stores roll-ups and replaces existing roll-ups of the same hour or day. */
export async function saveRollups(
  db: Database,
  span: UnitSpan,
  placed: readonly PlacedRollup[],
): Promise<void> {
  if (placed.length === 0) return;
  const { rollups } = tables[span.unit];
  const column = (read: (rollup: Rollup) => unknown) => placed.map(({ rollup }) => read(rollup));
  const counters = elementsOf(counterKeys, "int", 12);
  const parts = elementsOf(partKeys, "bytea", 12 + counterKeys.length);
  await runPrepared(db, {
    name: `save-${rollups}`,
    text: `insert into ${rollups} (check_id, starts_at, location, runs, retries, counters,
        sample_count, sample_sum_ms, samples, parts)
      select check_id, to_timestamp($1::float8 / 1000), location,
        array[unknown, passing, degraded, failing], retries, ${counters.array},
        sample_count, sample_sum_ms, samples, ${parts.array}
      from unnest($2::uuid[], $3::text[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[],
        $9::int[], $10::float8[], $11::bytea[], ${counters.parameters}, ${parts.parameters})
        as one (check_id, location, unknown, passing, degraded, failing, retries, sample_count,
        sample_sum_ms, samples, ${[...counterKeys, ...partKeys].join(", ")})
      on conflict (check_id, starts_at, location) do update set runs = excluded.runs,
        retries = excluded.retries, counters = excluded.counters,
        sample_count = excluded.sample_count, sample_sum_ms = excluded.sample_sum_ms,
        samples = excluded.samples, parts = excluded.parts`,
    values: [
      span.startMs,
      placed.map(({ checkId }) => checkId),
      placed.map(({ location }) => location),
      column((rollup) => rollup.unknown),
      column((rollup) => rollup.passing),
      column((rollup) => rollup.degraded),
      column((rollup) => rollup.failing),
      column((rollup) => rollup.retries),
      column(({ samples }) => samples.count),
      column(({ samples }) => aggregate(samples, "sum") ?? 0),
      column(({ samples }) => encodeSketch(samples)),
      ...counterKeys.map((_, place) => column((rollup) => rollup.counters[place] ?? null)),
      ...partKeys.map((_, place) => column((rollup) => encodePart(rollup.parts[place]))),
    ],
  });
}

export interface RunningTotal {
  readonly checkId: string;
  readonly total: Rollup;
  /** Encoded points of the hours, as `sumLocations` returns them. */
  readonly hours: Uint8Array | null;
}

export async function saveRunningTotals(
  db: Database,
  span: UnitSpan,
  totals: readonly RunningTotal[],
): Promise<void> {
  if (totals.length === 0) return;
  const { totals: table } = tables[span.unit];
  const column = (read: (total: Rollup) => unknown) => totals.map(({ total }) => read(total));
  const counters = elementsOf(counterKeys, "int", 8);
  const parts = elementsOf(summaryPartKeys, "bytea", 8 + counterKeys.length);
  const hours = span.unit === "hour" ? "hours" : null;
  const named = (prefix: string) => (hours === null ? "" : `${prefix}hours`);
  const shownParts = (total: Rollup) => total.parts.filter((part) => part !== null);
  await runPrepared(db, {
    name: `save-${table}`,
    text: `insert into ${table} (check_id, starts_at, runs, counters, samples, parts${named(", ")})
      select check_id, to_timestamp($1::float8 / 1000),
        array[unknown, passing, degraded, failing], ${counters.array}, samples, ${parts.array}
        ${named(", ")}
      from unnest($2::uuid[], $3::int[], $4::int[], $5::int[], $6::int[], $7::bytea[],
        ${counters.parameters}, ${parts.parameters}
        ${hours === null ? "" : `, $${8 + counterKeys.length + summaryPartKeys.length}::bytea[]`})
        as one (check_id, unknown, passing, degraded, failing, samples,
        ${[...counterKeys, ...summaryPartKeys].join(", ")}${named(", ")})
      on conflict (check_id, starts_at) do update set runs = excluded.runs,
        counters = excluded.counters, samples = excluded.samples, parts = excluded.parts
        ${named(", hours = excluded.")}`,
    values: [
      span.startMs,
      totals.map(({ checkId }) => checkId),
      column((total) => total.unknown),
      column((total) => total.passing),
      column((total) => total.degraded),
      column((total) => total.failing),
      column(({ samples }) => encodeSketch(samples)),
      ...counterKeys.map((_, place) => column((total) => total.counters[place] ?? null)),
      ...summaryPartKeys.map((_, place) => column((total) => encodePart(shownParts(total)[place]))),
      ...(hours === null ? [] : [totals.map((one) => one.hours)]),
    ],
  });
}

/**
 * Inserts roll-ups and running totals for checks of one kind that have none yet. All rows of a
 * check must be in one call, because its running totals are sums over the rows of the call.
 */
export async function insertPlainRollups(
  db: Database,
  { unit, kind, location }: { unit: RollupUnit; kind: Kind; location: string },
  rows: PlainRollups,
): Promise<void> {
  const { rollups, totals } = tables[unit];
  const isHourly = unit === "hour";
  const empty = encodeSketch(createSketch());
  const shown = kind.parts.filter(({ summary }) => summary !== undefined);
  await runPrepared(db, {
    name: `insert-${rollups}`,
    text: `with one as materialized (
        select check_id, to_timestamp(start_ms / 1000) as starts_at,
          floor(start_ms / $1::float8) as period, passing, 0 as degraded, failing, sample_count,
          sample_sum_ms, samples, total_samples
        from unnest($2::uuid[], $3::float8[], $4::int[], $5::int[], $6::int[], $7::float8[],
          $8::bytea[], $9::bytea[]) as one (check_id, start_ms, passing, failing, sample_count,
          sample_sum_ms, samples, total_samples)
      ), rolled as (
        insert into ${rollups} (check_id, starts_at, location, runs, retries, counters,
          sample_count, sample_sum_ms, samples, parts)
        select check_id, starts_at, $10, array[0, passing, 0, failing], 0, $11::int[],
          sample_count, sample_sum_ms, samples, $12::bytea[]
        from one
      )
      insert into ${totals} (check_id, starts_at, runs, counters, samples, parts
        ${isHourly ? ", hours" : ""})
      select check_id, starts_at,
        array[0, sum(passing) over so_far, 0, sum(failing) over so_far]::int[], $11::int[],
        total_samples, $13::bytea[]
        ${isHourly ? `, string_agg(${hourRecordSql}, ''::bytea) over so_far` : ""}
      from one window so_far as (partition by check_id, period order by starts_at)`,
    values: [
      ...[totalMs[unit], rows.checkIds, rows.startsMs, rows.passing, rows.failing],
      ...[rows.sampleCounts, rows.sampleSumsMs, rows.samples, rows.totalSamples, location],
      ...[kind.counters.map(() => 0), kind.parts.map(() => empty), shown.map(() => empty)],
    ],
  });
}

/** Deletes roll-ups before the given time and returns the number of deleted roll-ups. */
export async function deleteRollupsBefore(
  db: Database,
  unit: RollupUnit,
  timeMs: number,
): Promise<number> {
  // Progress is deleted first, because hours and days marked as rolled up must have roll-ups.
  await runSql(
    db,
    "delete from rollup_progress where unit = $1 and starts_at < to_timestamp($2::float8 / 1000)",
    [unit, timeMs],
  );
  const { rollups, totals } = tables[unit];
  await deleteRowsBefore(db, totals, timeMs);
  return deleteRowsBefore(db, rollups, timeMs);
}

async function deleteRowsBefore(db: Database, table: string, timeMs: number): Promise<number> {
  let deleted = 0;
  while (true) {
    const [gone] = await runSql<{ count: number }>(
      db,
      `with gone as (delete from ${table} where ctid = any(array(
          select ctid from ${table} where starts_at < to_timestamp($1::float8 / 1000) limit $2))
          returning 1)
        select count(*)::int as count from gone`,
      [timeMs, deleteBatch],
    );
    const count = gone?.count ?? 0;
    deleted += count;
    if (count < deleteBatch) return deleted;
  }
}

/** Lists check ids of all accounts in ascending order, after the given id. */
export async function listWatchedIdsAfter(
  db: Database,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const rows = await runPrepared<{ id: string }>(db, {
    name: "list-watched-ids-after",
    text: "select id from checks_with_period where id > $1 order by id limit $2",
    values: [afterId, limit],
  });
  return rows.map(({ id }) => id);
}

/** Returns the kinds of checks of all accounts, keyed by check id, without deleted checks. */
export async function listWatchedKinds(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, Kind>> {
  const rows = await runPrepared<{ id: string; kind: string }>(db, {
    name: "list-watched-kinds",
    text: "select id, kind from checks_with_period where id = any($1::uuid[])",
    values: [ids],
  });
  return new Map(rows.flatMap(({ id, kind }) => (isCheckType(kind) ? [[id, kinds[kind]]] : [])));
}
