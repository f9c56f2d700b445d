import type pg from "pg";
import { everywhere, type RawRow } from "../analytics/rollup.ts";
import { dayMs, hourMs, type Span, startOf } from "../analytics/window.ts";
import { idFloor } from "../run-id.ts";
import type { CheckState } from "../state.ts";

/** What a wall shows of a check besides its figures: one row each, with its group and state. */
export interface CheckOverview {
  readonly id: string;
  readonly name: string;
  /** The group's and its own. */
  readonly tags: readonly string[];
  readonly groupName: string | null;
  readonly status: CheckState["status"];
  /** Null before the first run. */
  readonly since: Date | null;
  readonly lastRunAt: Date | null;
  readonly lastResultId: string | null;
  readonly locations: CheckState["locations"];
}

export interface OverviewQuery {
  /** None is all checks. */
  readonly tags: readonly string[];
  /** All of the tags, where otherwise one is enough. */
  readonly isEveryTag: boolean;
  readonly limit: number;
}

/** The checks that run, in the order of their names, and how many there are in all. */
export async function listCheckOverviews(
  pool: pg.Pool,
  accountId: string,
  query: OverviewQuery,
): Promise<{ readonly list: CheckOverview[]; readonly total: number }> {
  const { rows } = await pool.query<CheckOverview & { readonly total: number }>({
    name: "list-check-overviews",
    text: `select c.id, c.name, array(select distinct unnest(c.tags || grouped.tags)) as tags,
        g.name as "groupName", coalesce(s.status, 'unknown') as status, s.since,
        s.last_due_at as "lastRunAt", s.last_result_id as "lastResultId",
        coalesce(s.locations, '{}') as locations, count(*) over () as total
      from checks c
      left join check_groups g on g.id = c.group_id
      left join check_states s on s.check_id = c.id
      cross join lateral (
        select array(select jsonb_array_elements_text(g.settings -> 'tags')) as tags
      ) as grouped
      where c.account_id = $1 and c.settings -> 'activated' = 'true'
        and (g.id is null or g.settings -> 'activated' = 'true')
        and case when cardinality($2::text[]) = 0 then true
          when $3 then c.tags || grouped.tags @> $2 else c.tags || grouped.tags && $2 end
      order by lower(c.name), c.id limit $4`,
    values: [accountId, query.tags, query.isEveryTag, query.limit],
  });
  return { list: rows, total: rows[0]?.total ?? 0 };
}

/** The running total of a day up to the end of an hour. */
export interface HourTotalRow {
  /** The check by its place in the list that was asked for. */
  readonly place: number;
  readonly startsMs: number;
  readonly runs: number;
  readonly degraded: number;
  readonly failing: number;
  readonly rtt: Uint8Array;
}

/**
 * In the order of time for each check: the hours of a span, and the last one before it within its
 * day, whose total the first of them goes on from.
 */
export async function listHourTotals(
  pool: pg.Pool,
  checkIds: readonly string[],
  span: Span,
): Promise<HourTotalRow[]> {
  const { rows } = await pool.query<HourTotalRow>({
    name: "list-hour-totals",
    text: `select place::int, extract(epoch from starts_at)::float8 * 1000 as "startsMs",
        runs[2] + runs[3] + runs[4] as runs, runs[3] as degraded, runs[4] as failing, rtt
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        (select starts_at, runs, rtt from hourly_rollups
          where hourly_rollups.check_id = wanted.check_id and location = '${everywhere}'
            and starts_at >= to_timestamp($4::float8 / 1000)
            and starts_at < to_timestamp($2::float8 / 1000)
          order by starts_at desc limit 1)
        union all
        (select starts_at, runs, rtt from hourly_rollups
          where hourly_rollups.check_id = wanted.check_id and location = '${everywhere}'
            and starts_at >= to_timestamp($2::float8 / 1000)
            and starts_at < to_timestamp($3::float8 / 1000)
          order by starts_at)
      ) as total`,
    values: [checkIds, span.fromMs, span.toMs, startOf(span.fromMs, dayMs)],
  });
  return rows;
}

/** The time a run was due is the first 48 bits of its id. */
const dueMs = `('x' || substr(id::text, 1, 8) || substr(id::text, 10, 4))::bit(48)::bigint`;

export type RawHourRow = RawRow & { readonly place: number; readonly startsMs: number };

/** Single results by check and hour. Without a name, so that it is planned for its days. */
export async function sumResultsByHour(
  pool: pg.Pool,
  checkIds: readonly string[],
  span: Span,
): Promise<RawHourRow[]> {
  const { rows } = await pool.query<RawHourRow>(
    `select place::int, found.hour * ${hourMs}::float8 as "startsMs", found.*
      from unnest($1::uuid[]) with ordinality as wanted (check_id, place)
      cross join lateral (
        select ${dueMs} / ${hourMs} as hour,
          count(*) filter (where verdict = 0) as unknown,
          count(*) filter (where verdict = 1) as passing,
          count(*) filter (where verdict = 2) as degraded,
          count(*) filter (where verdict = 3) as failing, 0 as retries,
          coalesce(sum(packets_sent), 0) as packets_sent,
          coalesce(sum(packets_received), 0) as packets_received,
          string_agg(packets, ''::bytea) as packets,
          count(*) filter (where loss_percent = 0) as lossless,
          string_agg(float4send(loss_percent), ''::bytea) filter (where loss_percent > 0) as loss
        from results where results.check_id = wanted.check_id and id >= $2 and id < $3 and is_final
        group by 1
      ) as found`,
    [checkIds, idFloor(span.fromMs), idFloor(span.toMs)],
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
  pool: pg.Pool,
  checkIds: readonly string[],
  spans: readonly Span[],
): Promise<PlaceRow[]> {
  if (spans.length === 0) return [];
  const { rows } = await pool.query<PlaceRow>({
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
  pool: pg.Pool,
  checkIds: readonly string[],
  span: Span,
): Promise<PlaceRow[]> {
  const { rows } = await pool.query<PlaceRow>(
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
