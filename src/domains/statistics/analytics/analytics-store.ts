import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import { idFloor } from "../../runs/index.ts";
import {
  everywhere,
  type RawRow,
  type RolledRow,
  sketchNames,
  type TotalRow,
} from "../rollups/rollup.ts";
import type { Buckets, Mark, RolledTimes, Span } from "../window.ts";

export type RollupTable = "hourly_rollups" | "daily_rollups";

/** The hours and days within a window that have been rolled up. */
export async function findRolledTimes(
  db: Database,
  window: Span,
  unit: "hour" | "day",
): Promise<RolledTimes> {
  const rows = await runPrepared<{ unit: string; ms: number }>(db, {
    name: "find-rolled-times",
    // Hours of a day that is taken whole are not asked for, or a long window had thousands.
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

const rolledCounts = `
  coalesce(sum(runs[1]), 0) as unknown, coalesce(sum(runs[2]), 0) as passing,
  coalesce(sum(runs[3]), 0) as degraded, coalesce(sum(runs[4]), 0) as failing,
  coalesce(sum(retries), 0) as retries, coalesce(sum(packets_sent), 0) as packets_sent,
  coalesce(sum(packets_received), 0) as packets_received`;

const rawCounts = `
  count(*) filter (where counts and verdict = 0) as unknown,
  count(*) filter (where counts and verdict = 1) as passing,
  count(*) filter (where counts and verdict = 2) as degraded,
  count(*) filter (where counts and verdict = 3) as failing,
  count(*) filter (where not is_final) as retries,
  coalesce(sum(packets_sent) filter (where counts), 0) as packets_sent,
  coalesce(sum(packets_received) filter (where counts), 0) as packets_received`;

const startsOf = (spans: readonly Span[]) => spans.map(({ fromMs }) => fromMs);
const endsOf = (spans: readonly Span[]) => spans.map(({ toMs }) => toMs);

/** The check by its place in the list that was asked for. */
export type OfCheck<Row> = Row & { readonly place: number };

/**
 * A row for each check. Each total is found by going back in the index from the end of its mark,
 * so what it costs depends neither on the length of the window nor on what lies before it.
 */
export async function sumTotals(
  db: Database,
  checkIds: readonly string[],
  marks: Readonly<Record<RollupTable, readonly Mark[]>>,
): Promise<OfCheck<TotalRow>[]> {
  if (marks.daily_rollups.length + marks.hourly_rollups.length === 0) return [];
  const rows = await runPrepared<OfCheck<TotalRow>>(db, {
    name: "sum-totals",
    text: sumTotalsText,
    values: sumTotalsValues(checkIds, marks),
  });
  return rows;
}

export function sumTotalsValues(
  checkIds: readonly string[],
  marks: Readonly<Record<RollupTable, readonly Mark[]>>,
): unknown[] {
  const all = [...marks.daily_rollups, ...marks.hourly_rollups];
  return [
    checkIds,
    startsOf(all),
    endsOf(all),
    all.map((mark) => (mark.isTakenOut ? -1 : 1)),
    marks.daily_rollups.length,
  ];
}

const lastTotal = (table: RollupTable, isOfTable: string) => `
  select sign, runs, packets_sent, packets_received, rtt, loss
  from unnest($2::float8[], $3::float8[], $4::int[]) with ordinality
    as mark (from_ms, to_ms, sign, number)
  cross join lateral (
    select * from ${table} where ${table}.check_id = wanted.check_id and location = '${everywhere}'
      and starts_at >= to_timestamp(mark.from_ms / 1000)
      and starts_at < to_timestamp(mark.to_ms / 1000)
    order by starts_at desc limit 1
  ) as last where ${isOfTable}`;

export const sumTotalsText = `select place::int, found.*
  from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
  cross join lateral (
    select coalesce(sum(sign * runs[1]), 0) as unknown, coalesce(sum(sign * runs[2]), 0) as passing,
      coalesce(sum(sign * runs[3]), 0) as degraded, coalesce(sum(sign * runs[4]), 0) as failing,
      0 as retries, coalesce(sum(sign * packets_sent), 0) as packets_sent,
      coalesce(sum(sign * packets_received), 0) as packets_received,
      string_agg(rtt, ''::bytea) filter (where sign > 0) as rtt,
      string_agg(loss, ''::bytea) filter (where sign > 0) as loss,
      string_agg(rtt, ''::bytea) filter (where sign < 0) as rtt_taken_out,
      string_agg(loss, ''::bytea) filter (where sign < 0) as loss_taken_out
    from (
      ${lastTotal("daily_rollups", "number <= $5::int")}
      union all ${lastTotal("hourly_rollups", "number > $5::int")}
    ) as total
  ) as found`;

/** Without a name, so that it is planned for the one or two days it looks at. */
export async function sumResults(
  db: Database,
  checkIds: readonly string[],
  span: Span,
): Promise<OfCheck<RawRow>[]> {
  const values = [checkIds, idFloor(span.fromMs), idFloor(span.toMs)];
  const rows = await runSql<OfCheck<RawRow>>(db, sumResultsText, values);
  return rows;
}

/** Retries are no part of a summary; and most runs lose nothing, so those are only counted. */
export const sumResultsText = `select place::int, found.*
  from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
  cross join lateral (
    select count(*) filter (where verdict = 0) as unknown,
      count(*) filter (where verdict = 1) as passing,
      count(*) filter (where verdict = 2) as degraded,
      count(*) filter (where verdict = 3) as failing, 0 as retries,
      coalesce(sum(packets_sent), 0) as packets_sent,
      coalesce(sum(packets_received), 0) as packets_received,
      string_agg(packets, ''::bytea) as packets,
      count(*) filter (where loss_percent = 0) as lossless,
      string_agg(float4send(loss_percent), ''::bytea) filter (where loss_percent > 0) as loss
    from results where results.check_id = wanted.check_id and id >= $2 and id < $3 and is_final
  ) as found`;

/** A bucket of a series, of one place or of all. */
export type InBucket<Row> = Row & { readonly bucket: number; readonly location: string | null };

export interface SeriesQuery {
  readonly checkId: string;
  readonly buckets: Buckets;
  readonly isByLocation: boolean;
  /** Whether round trips of single packets are read too, which are most of what there is. */
  readonly hasPackets: boolean;
}

const runSketches = sketchNames.filter((name) => name !== "rtt");

export async function listRollupBuckets(
  db: Database,
  table: RollupTable,
  query: SeriesQuery,
  spans: readonly Span[],
): Promise<InBucket<RolledRow>[]> {
  if (spans.length === 0) return [];
  const sketches = query.hasPackets ? sketchNames : runSketches;
  const rows = await runPrepared<InBucket<RolledRow>>(db, {
    name: `list-buckets-${table}${query.hasPackets ? "-with-packets" : ""}`,
    text: `select
        floor((extract(epoch from starts_at)::float8 * 1000 - $4::float8) / $5::float8)::int
          as bucket,
        case when $6 then location end as location, ${rolledCounts},
        ${sketches.map((name) => `string_agg(${name}, ''::bytea) as ${name}`).join(", ")}
      from unnest($2::float8[], $3::float8[]) as span (from_ms, to_ms)
      join ${table} on check_id = $1 and starts_at >= to_timestamp(span.from_ms / 1000)
        and starts_at < to_timestamp(span.to_ms / 1000) and location <> '${everywhere}'
      group by 1, 2`,
    values: [
      query.checkId,
      startsOf(spans),
      endsOf(spans),
      query.buckets.anchorMs,
      query.buckets.intervalMs,
      query.isByLocation,
    ],
  });
  return rows;
}

const rawFigures = {
  avg: "avg_ms",
  min: "min_ms",
  max: "max_ms",
  std_dev: "std_dev_ms",
  loss: "loss_percent",
} as const;

/** The time a run was due is the first 48 bits of its id. */
const dueMs = `('x' || substr(id::text, 1, 8) || substr(id::text, 10, 4))::bit(48)::bigint`;

/** Runs of the verdicts asked for; retries are counted whatever became of the run. */
export async function listResultBuckets(
  db: Database,
  query: SeriesQuery,
  verdicts: readonly number[],
  span: Span,
): Promise<InBucket<RawRow>[]> {
  const figures = Object.entries(rawFigures).map(
    ([name, column]) =>
      `string_agg(float4send(${column}), ''::bytea) filter (where counts) as ${name}`,
  );
  const columns: string[] = Object.values(rawFigures);
  if (query.hasPackets) {
    figures.push("string_agg(packets, ''::bytea) filter (where counts) as packets");
    columns.push("packets");
  }
  const rows = await runSql<InBucket<RawRow>>(
    db,
    `select bucket, place as location, ${rawCounts}, ${figures.join(", ")}
      from (
        select floor((${dueMs} - $4::float8) / $5::float8)::int as bucket,
          case when $6 then location end as place,
          is_final and verdict = any($7::smallint[]) as counts, is_final, verdict, packets_sent,
          packets_received, ${columns.join(", ")}
        from results where check_id = $1 and id >= $2 and id < $3
      ) as run
      group by bucket, place`,
    [
      query.checkId,
      idFloor(span.fromMs),
      idFloor(span.toMs),
      query.buckets.anchorMs,
      query.buckets.intervalMs,
      query.isByLocation,
      verdicts,
    ],
  );
  return rows;
}
