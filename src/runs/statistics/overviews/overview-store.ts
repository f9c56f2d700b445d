import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import type { OfCheck } from "../../results/index.ts";
import { counterKeys } from "../rollups/rollup.ts";
import { dayMs, type Span, startOf } from "../window.ts";

/** Sums over closed hours or days of a check. They contain no sketches. */
export interface CoarseSums {
  readonly checkId: string;
  readonly name: string;
  readonly kind: string;
  /** Number of final runs with a verdict. */
  readonly runs: number;
  readonly badRuns: number;
  readonly sampleCount: number;
  readonly sampleSumMs: number;
  readonly counters: readonly number[];
}

const counters = counterKeys.map(
  (_, place) => `coalesce(sum(r.counters[${place + 1}]), 0)::float8`,
);

/** Sums the closed hours or days of a span for every active check with runs in the span. */
export function sumCoarsely(
  db: Database,
  accountId: string,
  { fromMs, toMs, unit }: Span & { readonly unit: "hour" | "day" },
): Promise<CoarseSums[]> {
  const table = unit === "hour" ? "hourly_rollups" : "daily_rollups";
  return runPrepared<CoarseSums>(db, {
    name: `sum-coarsely-by-${unit}`,
    text: `select c.id as "checkId", c.name, c.kind, found.*
      from checks_with_group c cross join lateral (
        select sum(r.runs[2] + r.runs[3] + r.runs[4])::int as runs,
          sum(r.runs[3] + r.runs[4])::int as "badRuns",
          sum(r.sample_count)::float8 as "sampleCount",
          coalesce(sum(r.sample_sum_ms), 0) as "sampleSumMs",
          array[${counters.join(", ")}] as counters
        from ${table} r where r.check_id = c.id
          and r.starts_at >= to_timestamp($2::float8 / 1000)
          and r.starts_at < to_timestamp($3::float8 / 1000)
      ) as found
      where c.account_id = $1 and c.is_active and found.runs > 0`,
    values: [accountId, fromMs, toMs],
  });
}

/**
 * Hourly points of a check on one UTC day, up to the end of the requested span. The running total
 * of an hour contains the points of the day up to that hour. The last running total of the day
 * within the span therefore contains all of these points.
 */
export interface DayHoursRow {
  /** Position of the check in the requested list, counted from 1. */
  readonly place: number;
  readonly dayMs: number;
  /** Encoded points for `readHourRecords`; `null` in totals stored by older versions. */
  readonly hours: Uint8Array | null;
}

/** Returns a row for each check and UTC day with a running total in the span. */
export async function listDayHours(
  db: Database,
  checkIds: readonly string[],
  span: Span,
): Promise<DayHoursRow[]> {
  const days: number[] = [];
  for (let at = startOf(span.fromMs, dayMs); at < span.toMs; at += dayMs) days.push(at);
  const rows = await runPrepared<DayHoursRow>(db, {
    name: "list-day-hours",
    text: `select place::int, from_ms as "dayMs", hours
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join unnest($2::float8[], $3::float8[]) as day (from_ms, to_ms)
      cross join lateral (
        select hours from hourly_running_totals as total
        where total.check_id = wanted.check_id and starts_at >= to_timestamp(day.from_ms / 1000)
          and starts_at < to_timestamp(day.to_ms / 1000)
        order by starts_at desc limit 1
      ) as last`,
    values: [checkIds, days, days.map((at) => Math.min(at + dayMs, span.toMs))],
  });
  return rows;
}

/** Sums of one check at one location. The sketches are concatenated. */
export interface LocationRow {
  readonly location: string;
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
  readonly samples?: Uint8Array | null;
}

const startsOf = (spans: readonly Span[]) => spans.map(({ fromMs }) => fromMs);
const endsOf = (spans: readonly Span[]) => spans.map(({ toMs }) => toMs);

export async function sumHoursByLocation(
  db: Database,
  checkIds: readonly string[],
  spans: readonly Span[],
): Promise<OfCheck<LocationRow>[]> {
  if (spans.length === 0) return [];
  return runPrepared<OfCheck<LocationRow>>(db, {
    name: "sum-hours-by-location",
    text: `select place::int, found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        select location, sum(runs[2]) as passing, sum(runs[3]) as degraded,
          sum(runs[4]) as failing, string_agg(samples, ''::bytea) as samples
        from unnest($2::float8[], $3::float8[]) as span (from_ms, to_ms)
        join hourly_rollups on hourly_rollups.check_id = wanted.check_id
          and starts_at >= to_timestamp(span.from_ms / 1000)
          and starts_at < to_timestamp(span.to_ms / 1000)
        group by location
      ) as found`,
    values: [checkIds, startsOf(spans), endsOf(spans)],
  });
}

/** Number of runs of one kind on a UTC day, without those of the hour that is still open. */
export interface DailyRunCounts {
  /** UTC date as YYYY-MM-DD. */
  readonly day: string;
  readonly kind: string;
  /** Number of runs without a verdict. */
  readonly unknown: number;
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
  readonly retries: number;
}

/**
 * Lists the run counts of an account per day and kind. `today` is the first day without a daily
 * roll-up, so its closed hours are counted instead.
 */
export function listDailyRunCounts(
  db: Database,
  accountId: string,
  { from, to, today }: Readonly<Record<"from" | "to" | "today", string>>,
): Promise<DailyRunCounts[]> {
  const count = (place: number, name: string) => `sum(r.runs[${place}])::float8 as ${name}`;
  return runSql<DailyRunCounts>(
    db,
    `select to_char(r.starts_at at time zone 'UTC', 'YYYY-MM-DD') as day, c.kind,
        ${count(1, "unknown")}, ${count(2, "passing")}, ${count(3, "degraded")},
        ${count(4, "failing")}, sum(r.retries)::float8 as retries
      from checks_with_group c cross join lateral (
        select starts_at, runs, retries from daily_rollups where check_id = c.id
          and starts_at < $4::date at time zone 'UTC'
        union all
        select starts_at, runs, retries from hourly_rollups where check_id = c.id
          and starts_at >= $4::date at time zone 'UTC'
      ) as r
      where c.account_id = $1 and r.starts_at >= $2::date at time zone 'UTC'
        and r.starts_at < ($3::date + 1) at time zone 'UTC'
      group by 1, 2 order by 1, 2`,
    [accountId, from, to, today],
  );
}
