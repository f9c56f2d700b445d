import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import { idFloor } from "../../runs/index.ts";
import { encodeSketch } from "../sketch.ts";
import { aggregate } from "../sketch-statistics.ts";
import {
  countNames,
  everywhere,
  type RawRow,
  type RolledRow,
  type Rollup,
  sketchNames,
  totalSketches,
} from "./rollup.ts";

export type RollupUnit = "hour" | "day";

export interface PlacedRollup {
  readonly checkId: string;
  readonly location: string;
  readonly rollup: Rollup;
  /** Of a total: the hours it is made of, as `sumPlaces` wrote them. */
  readonly hours?: Uint8Array | null;
}

const hourMs = 3_600_000;
const dayMs = 86_400_000;
const tables: Readonly<Record<RollupUnit, string>> = {
  hour: "hourly_rollups",
  day: "daily_rollups",
};
/** Any number that no other program on the same database uses for an advisory lock. */
const rollupLock = 7_333_885;
/** So many rows go in one statement when old ones are deleted. */
const deleteBatch = 20_000;

/** One server at a time rolls up. Closing the connection gives the lock back as well. */
export async function tryRollupLock(db: Database): Promise<boolean> {
  const rows = await runSql<{ is_held: boolean }>(
    db,
    "select pg_try_advisory_lock($1) as is_held",
    [rollupLock],
  );
  return rows[0]?.is_held ?? false;
}

export async function releaseRollupLock(db: Database): Promise<void> {
  await runSql(db, "select pg_advisory_unlock($1)", [rollupLock]);
}

/** The hours or days from a moment on that have been rolled up. */
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

export async function markRolled(db: Database, unit: RollupUnit, startMs: number): Promise<void> {
  await runSql(
    db,
    `insert into rollup_progress (unit, starts_at) values ($1, to_timestamp($2::float8 / 1000))
      on conflict do nothing`,
    [unit, startMs],
  );
}

type Placed<Row> = Row & { readonly check_id: string; readonly location: string };

/**
 * The inner query is for one check: it is an index range scan however few checks there are, and
 * what comes over the wire is a row for each place rather than for each result.
 */
export async function readRawHour(
  db: Database,
  checkIds: readonly string[],
  startMs: number,
): Promise<Placed<RawRow>[]> {
  const rows = await runSql<Placed<RawRow>>(
    db,
    `select wanted.check_id, found.* from unnest($1::uuid[]) as wanted (check_id)
      cross join lateral (
        select location,
          count(*) filter (where is_final and verdict = 0) as unknown,
          count(*) filter (where is_final and verdict = 1) as passing,
          count(*) filter (where is_final and verdict = 2) as degraded,
          count(*) filter (where is_final and verdict = 3) as failing,
          count(*) filter (where not is_final) as retries,
          coalesce(sum(packets_sent) filter (where is_final), 0) as packets_sent,
          coalesce(sum(packets_received) filter (where is_final), 0) as packets_received,
          string_agg(packets, ''::bytea) filter (where is_final) as packets,
          string_agg(float4send(avg_ms), ''::bytea) filter (where is_final) as avg,
          string_agg(float4send(min_ms), ''::bytea) filter (where is_final) as min,
          string_agg(float4send(max_ms), ''::bytea) filter (where is_final) as max,
          string_agg(float4send(std_dev_ms), ''::bytea) filter (where is_final) as std_dev,
          string_agg(float4send(loss_percent), ''::bytea) filter (where is_final) as loss
        from results
        where results.check_id = wanted.check_id and id >= $2 and id < $3
        group by location
      ) as found`,
    [checkIds, idFloor(startMs), idFloor(startMs + hourMs)],
  );
  return rows;
}

const sums = `sum(runs[1]) as unknown, sum(runs[2]) as passing, sum(runs[3]) as degraded,
  sum(runs[4]) as failing, sum(retries) as retries, sum(packets_sent) as packets_sent,
  sum(packets_received) as packets_received`;
const joined = (names: readonly string[]) =>
  names.map((name) => `string_agg(${name}, ''::bytea) as ${name}`).join(", ");

export async function readHoursOfDay(
  db: Database,
  checkIds: readonly string[],
  startMs: number,
): Promise<Placed<RolledRow>[]> {
  const rows = await runPrepared<Placed<RolledRow>>(db, {
    name: "read-hours-of-day",
    text: `select wanted.check_id, found.* from unnest($1::uuid[]) as wanted (check_id)
      cross join lateral (
        select location, ${sums}, ${joined(sketchNames)} from hourly_rollups
        where hourly_rollups.check_id = wanted.check_id
          and starts_at >= to_timestamp($2::float8 / 1000)
          and starts_at < to_timestamp($3::float8 / 1000) and location <> '${everywhere}'
        group by location
      ) as found`,
    values: [checkIds, startMs, startMs + dayMs],
  });
  return rows;
}

/** A total, and of a day's total each of its hours in 28 bytes, which `readHours` reads. */
type TotalOfPlaces = RolledRow & { readonly check_id: string; readonly hours: Uint8Array | null };

const hourBytes = `int4send(extract(hour from starts_at at time zone 'UTC')::int)
  || int4send((passing + degraded + failing)::int) || int4send(degraded::int)
  || int4send(failing::int) || int4send(packets_received::int)
  || float8send(coalesce(rtt_sum_ms, 0))`;

/** What all places of some checks add up to in a span of whole hours or days. */
export async function sumPlaces(
  db: Database,
  unit: RollupUnit,
  checkIds: readonly string[],
  span: { readonly fromMs: number; readonly toMs: number },
): Promise<TotalOfPlaces[]> {
  const table = tables[unit];
  const hours = unit === "hour" ? `string_agg(${hourBytes}, ''::bytea order by starts_at)` : "null";
  const rows = await runPrepared<TotalOfPlaces>(db, {
    name: `sum-places-${unit}`,
    text: `select wanted.check_id, found.* from unnest($1::uuid[]) as wanted (check_id)
      cross join lateral (
        select ${countNames.map((name) => `sum(${name}) as ${name}`).join(", ")},
          ${joined(totalSketches)}, ${hours} as hours
        from (
          select starts_at, ${sums}, ${joined(totalSketches)}, sum(rtt_sum_ms) as rtt_sum_ms
          from ${table} where ${table}.check_id = wanted.check_id
            and starts_at >= to_timestamp($2::float8 / 1000)
            and starts_at < to_timestamp($3::float8 / 1000) and location <> '${everywhere}'
          group by starts_at
        ) as one
        having count(*) > 0
      ) as found`,
    values: [checkIds, span.fromMs, span.toMs],
  });
  return rows;
}

/** Rolling up again replaces what was there. */
export async function saveRollups(
  db: Database,
  span: { readonly unit: RollupUnit; readonly startMs: number },
  placed: readonly PlacedRollup[],
): Promise<void> {
  if (placed.length === 0) return;
  const table = tables[span.unit];
  const column = (read: (rollup: Rollup) => unknown) => placed.map(({ rollup }) => read(rollup));
  await runPrepared(db, {
    name: `save-${table}`,
    text: `insert into ${table} (check_id, starts_at, location, runs, retries, packets_sent,
        packets_received, ${sketchNames.join(", ")}, rtt_sum_ms, hours)
      select check_id, to_timestamp($1::float8 / 1000), location,
        array[unknown, passing, degraded, failing], retries, packets_sent, packets_received,
        ${sketchNames.join(", ")}, rtt_sum_ms, hours
      from unnest($2::uuid[], $3::text[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[],
        $9::int[], $10::int[], $11::bytea[], $12::bytea[], $13::bytea[], $14::bytea[],
        $15::bytea[], $16::bytea[], $17::float8[], $18::bytea[]) as one (check_id, location,
        unknown, passing, degraded, failing, retries, packets_sent, packets_received,
        ${sketchNames.join(", ")}, rtt_sum_ms, hours)
      on conflict (check_id, starts_at, location) do update set runs = excluded.runs,
        retries = excluded.retries, packets_sent = excluded.packets_sent,
        packets_received = excluded.packets_received, rtt_sum_ms = excluded.rtt_sum_ms,
        hours = excluded.hours,
        ${sketchNames.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    values: [
      span.startMs,
      placed.map(({ checkId }) => checkId),
      placed.map(({ location }) => location),
      column((rollup) => rollup.unknown),
      column((rollup) => rollup.passing),
      column((rollup) => rollup.degraded),
      column((rollup) => rollup.failing),
      column((rollup) => rollup.retries),
      column((rollup) => rollup.packets_sent),
      column((rollup) => rollup.packets_received),
      ...sketchNames.map((name) => column(({ sketches }) => encodeSketch(sketches[name]))),
      column(({ sketches }) => aggregate(sketches.rtt, "sum") ?? 0),
      placed.map(({ hours }) => hours ?? null),
    ],
  });
}

/** Tells how many roll-ups went. */
export async function deleteRollupsBefore(
  db: Database,
  unit: RollupUnit,
  momentMs: number,
): Promise<number> {
  const table = tables[unit];
  // First the progress: what is said to be rolled up must be there.
  await runSql(
    db,
    "delete from rollup_progress where unit = $1 and starts_at < to_timestamp($2::float8 / 1000)",
    [unit, momentMs],
  );
  let deleted = 0;
  while (true) {
    const [gone] = await runSql<{ count: number }>(
      db,
      `with gone as (delete from ${table} where ctid = any(array(
          select ctid from ${table} where starts_at < to_timestamp($1::float8 / 1000) limit $2))
          returning 1)
        select count(*)::int as count from gone`,
      [momentMs, deleteBatch],
    );
    const count = gone?.count ?? 0;
    deleted += count;
    if (count < deleteBatch) return deleted;
  }
}
