import { type Database, runPrepared } from "../../../platform/database.ts";
import type { InBucket, OfCheck, RunCounts } from "../../results/index.ts";
import {
  joinSketch,
  partKeys,
  type RolledRow,
  sumCounters,
  summaryPartKeys,
  type TotalRow,
} from "../rollups/rollup.ts";
import type { Buckets, Mark, Pieces, RolledTimes, Span } from "../window.ts";

/** Returns the start times of the hours and days in a window that are rolled up. */
export async function findRolledTimes(
  db: Database,
  window: Span,
  unit: "hour" | "day",
): Promise<RolledTimes> {
  const rows = await runPrepared<{ unit: string; ms: number }>(db, {
    name: "find-rolled-times",
    // Excludes hours of rolled-up days, because a long window would return thousands of hours.
    text: `with days as (
        select starts_at from rollup_progress where $3 and unit = 'day'
          and starts_at >= to_timestamp($1::float8 / 1000)
          and starts_at <= to_timestamp($2::float8 / 1000) - interval '1 day'
      )
      select 'day' as unit, extract(epoch from starts_at)::float8 * 1000 as ms from days
      union all
      select 'hour', extract(epoch from starts_at)::float8 * 1000 from rollup_progress
      where unit = 'hour' and starts_at >= to_timestamp($1::float8 / 1000)
        and starts_at < to_timestamp($2::float8 / 1000)
        and date_trunc('day', starts_at, 'UTC') not in (select starts_at from days)`,
    values: [window.fromMs, window.toMs, unit === "day"],
  });
  const of = (wanted: string) =>
    new Set(rows.filter((row) => row.unit === wanted).map(({ ms }) => ms));
  return { hours: of("hour"), days: of("day") };
}

const countRuns = (sign = "") => `
  coalesce(sum(${sign}runs[1]), 0) as unknown, coalesce(sum(${sign}runs[2]), 0) as passing,
  coalesce(sum(${sign}runs[3]), 0) as degraded, coalesce(sum(${sign}runs[4]), 0) as failing`;

const startsOf = (spans: readonly Span[]) => spans.map(({ fromMs }) => fromMs);
const endsOf = (spans: readonly Span[]) => spans.map(({ toMs }) => toMs);

/** Time ranges of the running totals to read, for days and for hours. */
export interface Marks {
  readonly days: readonly Mark[];
  readonly hours: readonly Mark[];
}

/**
 * Returns one row per check with sums over a window. `marks` selects the running totals to add and
 * to subtract. Each running total is found by a backward index scan from the end of its time range.
 * The cost therefore hardly depends on the length of the window, and not on the amount of earlier
 * data.
 */
export async function sumTotals(
  db: Database,
  checkIds: readonly string[],
  marks: Marks,
): Promise<OfCheck<TotalRow>[]> {
  if (marks.days.length + marks.hours.length === 0) return [];
  return runPrepared<OfCheck<TotalRow>>(db, {
    name: "sum-totals",
    text: sumTotalsText,
    values: sumTotalsValues(checkIds, marks),
  });
}

/** Sums only the verdict counts and response times, because lists of checks show nothing else. */
export async function sumTimeTotals(
  db: Database,
  checkIds: readonly string[],
  marks: Marks,
): Promise<OfCheck<TotalRow>[]> {
  if (marks.days.length + marks.hours.length === 0) return [];
  return runPrepared<OfCheck<TotalRow>>(db, {
    name: "sum-time-totals",
    text: sumTimeTotalsText,
    values: sumTotalsValues(checkIds, marks),
  });
}

export function sumTotalsValues(checkIds: readonly string[], marks: Marks): unknown[] {
  const all = [...marks.days, ...marks.hours];
  return [
    checkIds,
    startsOf(all),
    endsOf(all),
    all.map((mark) => (mark.isTakenOut ? -1 : 1)),
    marks.days.length,
  ];
}

const lastTotal = (table: string, isOfTable: string) => `
  select sign, runs, counters, samples, parts
  from unnest($2::float8[], $3::float8[], $4::int[]) with ordinality
    as mark (from_ms, to_ms, sign, number)
  cross join lateral (
    select * from ${table} where ${table}.check_id = wanted.check_id
      and starts_at >= to_timestamp(mark.from_ms / 1000)
      and starts_at < to_timestamp(mark.to_ms / 1000)
    order by starts_at desc limit 1
  ) as last where ${isOfTable}`;

const sketchColumns = [
  { column: "samples", key: "samples" },
  ...summaryPartKeys.map((key, place) => ({ column: `parts[${place + 1}]`, key })),
];

const joinSketchesOf = (columns: typeof sketchColumns, sign: string, ending: string) =>
  columns
    .map(
      ({ column, key }) =>
        `string_agg(${column}, ''::bytea) filter (where sign ${sign} 0) as ${key}${ending}`,
    )
    .join(", ");

const writeTotals = (columns: typeof sketchColumns, counters: string) => `
  select place::int, found.*
  from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
  cross join lateral (
    select ${countRuns("sign * ")}, 0 as retries, ${counters}
      ${joinSketchesOf(columns, ">", "")}, ${joinSketchesOf(columns, "<", "_taken_out")}
    from (
      ${lastTotal("daily_running_totals", "number <= $5::int")}
      union all ${lastTotal("hourly_running_totals", "number > $5::int")}
    ) as total
  ) as found`;

export const sumTotalsText = writeTotals(sketchColumns, `${sumCounters("sign * ")},`);
const sumTimeTotalsText = writeTotals(sketchColumns.slice(0, 1), "");

export interface SeriesQuery {
  readonly checkId: string;
  readonly buckets: Buckets;
  readonly isByLocation: boolean;
  /** Whether to read the sketches of the samples, which are most of the data. */
  readonly hasSamples: boolean;
  /** Indexes of the parts to read. If omitted, all parts. */
  readonly partPlaces?: readonly number[];
}

type RollupTable = "hourly_rollups" | "daily_rollups";

export async function listRollupBuckets(
  db: Database,
  table: RollupTable,
  query: SeriesQuery,
  spans: readonly Span[],
): Promise<InBucket<RolledRow>[]> {
  if (spans.length === 0) return [];
  return runPrepared<InBucket<RolledRow>>(db, rollupBucketsStatement(table, query, spans));
}

export function rollupBucketsStatement(
  table: RollupTable,
  query: SeriesQuery,
  spans: readonly Span[],
) {
  const { hasSamples, partPlaces } = query;
  const sketches = [
    ...(hasSamples ? ["string_agg(samples, ''::bytea) as samples"] : []),
    ...partKeys.flatMap((key, place) =>
      partPlaces === undefined || partPlaces.includes(place) ? [joinSketch(key, place)] : [],
    ),
  ];
  const parts = partPlaces === undefined ? "" : `-parts-${partPlaces.join("-")}`;
  return {
    name: `list-buckets-${table}${hasSamples ? "-with-samples" : ""}${parts}`,
    text: `select
        floor((extract(epoch from starts_at)::float8 * 1000 - $4::float8) / $5::float8)::int
          as bucket,
        case when $6 then location end as location, ${countRuns()},
        coalesce(sum(retries), 0) as retries, ${[sumCounters(), ...sketches].join(", ")}
      from unnest($2::float8[], $3::float8[]) as span (from_ms, to_ms)
      join ${table} on check_id = $1 and starts_at >= to_timestamp(span.from_ms / 1000)
        and starts_at < to_timestamp(span.to_ms / 1000)
      group by 1, 2`,
    values: [
      query.checkId,
      startsOf(spans),
      endsOf(spans),
      query.buckets.anchorMs,
      query.buckets.intervalMs,
      query.isByLocation,
    ],
  };
}

const rolled = (table: string, from: number) => `
  select location, runs, retries
  from unnest($${from}::float8[], $${from + 1}::float8[]) as span (from_ms, to_ms)
  join ${table} on ${table}.check_id = wanted.check_id
    and starts_at >= to_timestamp(span.from_ms / 1000)
    and starts_at < to_timestamp(span.to_ms / 1000)`;

/** Returns the run counts of the rolled-up days and hours, one row per check and location. */
export async function countRolledRuns(
  db: Database,
  checkIds: readonly string[],
  { days, hours }: Pieces,
): Promise<OfCheck<RunCounts>[]> {
  if (days.length + hours.length === 0) return [];
  return runPrepared<OfCheck<RunCounts>>(db, {
    name: "count-rolled-runs",
    text: `select place::int, found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        select location, sum(runs[2]) as passing, sum(runs[3]) as degraded,
          sum(runs[4]) as failing, sum(retries) as retries
        from (${rolled("daily_rollups", 2)} union all ${rolled("hourly_rollups", 4)}) as rolled
        group by location
      ) as found`,
    values: [checkIds, startsOf(days), endsOf(days), startsOf(hours), endsOf(hours)],
  });
}
