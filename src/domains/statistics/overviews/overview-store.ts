import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import { idFloor } from "../../runs/index.ts";
import { everywhere, type RawRow } from "../rollups/rollup.ts";
import { dayMs, hourMs, type Span, startOf } from "../window.ts";

/** What a day's hours were, as its last total within a span has them. */
export interface DayHoursRow {
  /** The check by its place in the list that was asked for. */
  readonly place: number;
  readonly dayMs: number;
  /** Of each hour that anything ran in 28 bytes, in the order of time; null in older totals. */
  readonly hours: Uint8Array | null;
}

/** A row for each check and each UTC day that a span touches. */
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
        select hours from hourly_rollups
        where hourly_rollups.check_id = wanted.check_id and location = '${everywhere}'
          and starts_at >= to_timestamp(day.from_ms / 1000)
          and starts_at < to_timestamp(day.to_ms / 1000)
        order by starts_at desc limit 1
      ) as last`,
    values: [checkIds, days, days.map((at) => Math.min(at + dayMs, span.toMs))],
  });
  return rows;
}

export type RawHourRow = RawRow & { readonly place: number; readonly startsMs: number };

/** The hours that a span touches, each with the ids that begin and end its part of the span. */
function listHourEdges({ fromMs, toMs }: Span) {
  const starts: number[] = [];
  for (let at = startOf(fromMs, hourMs); at < toMs; at += hourMs) starts.push(at);
  return {
    starts,
    from: starts.map((at) => idFloor(Math.max(at, fromMs))),
    to: starts.map((at) => idFloor(Math.min(at + hourMs, toMs))),
  };
}

/**
 * Single results by check and hour. Each hour is a range of its own in the index, as reading the
 * hour out of every id would cost more than all the rest. Without a name, so that it is planned
 * for its days, which is what the ends of the whole span are given for.
 */
export async function sumResultsByHour(
  db: Database,
  checkIds: readonly string[],
  span: Span,
): Promise<RawHourRow[]> {
  const { starts, from, to } = listHourEdges(span);
  const rows = await runSql<RawHourRow>(
    db,
    `select place::int, starts_ms as "startsMs", found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join unnest($2::float8[], $3::uuid[], $4::uuid[]) as hour (starts_ms, from_id, to_id)
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
        from results where results.check_id = wanted.check_id and id >= from_id and id < to_id
          and id >= $5 and id < $6 and is_final
        having count(*) > 0
      ) as found`,
    [checkIds, starts, from, to, idFloor(span.fromMs), idFloor(span.toMs)],
  );
  return rows;
}

/** What one place found of one check: counts, and sketches or packets one after another. */
export interface PlaceRow {
  readonly place: number;
  readonly location: string;
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
  readonly rtt?: Uint8Array | null;
  readonly packets?: Uint8Array | null;
}

const startsOf = (spans: readonly Span[]) => spans.map(({ fromMs }) => fromMs);
const endsOf = (spans: readonly Span[]) => spans.map(({ toMs }) => toMs);

export async function sumPlacesOfHours(
  db: Database,
  checkIds: readonly string[],
  spans: readonly Span[],
): Promise<PlaceRow[]> {
  if (spans.length === 0) return [];
  const rows = await runPrepared<PlaceRow>(db, {
    name: "sum-places-of-hours",
    text: `select place::int, found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        select location, sum(runs[2]) as passing, sum(runs[3]) as degraded,
          sum(runs[4]) as failing, string_agg(rtt, ''::bytea) as rtt
        from unnest($2::float8[], $3::float8[]) as span (from_ms, to_ms)
        join hourly_rollups on hourly_rollups.check_id = wanted.check_id
          and starts_at >= to_timestamp(span.from_ms / 1000)
          and starts_at < to_timestamp(span.to_ms / 1000) and location <> '${everywhere}'
        group by location
      ) as found`,
    values: [checkIds, startsOf(spans), endsOf(spans)],
  });
  return rows;
}

export async function sumPlacesOfResults(
  db: Database,
  checkIds: readonly string[],
  span: Span,
): Promise<PlaceRow[]> {
  const rows = await runSql<PlaceRow>(
    db,
    `select place::int, found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        select location, count(*) filter (where verdict = 1) as passing,
          count(*) filter (where verdict = 2) as degraded,
          count(*) filter (where verdict = 3) as failing,
          string_agg(packets, ''::bytea) as packets
        from results where results.check_id = wanted.check_id and id >= $2 and id < $3 and is_final
        group by location
      ) as found`,
    [checkIds, idFloor(span.fromMs), idFloor(span.toMs)],
  );
  return rows;
}
