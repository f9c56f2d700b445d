import { allKinds } from "../../kinds/index.ts";
import type { Verdict } from "../../kinds/kit/verdict.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { compareNames } from "../../platform/text/compare.ts";
import type { CheckState } from "./state.ts";

/** A check with its state for dashboards, without statistics. */
export interface CheckOverview {
  readonly id: string;
  readonly name: string;
  /** Tags of the check, followed by those of its group, without duplicates. */
  readonly tags: readonly string[];
  readonly groupName: string | null;
  readonly status: CheckState["status"];
  /** Start of the current status; `null` if the check has not run yet. */
  readonly since: Date | null;
  readonly lastRunAt: Date | null;
  readonly lastResultId: string | null;
  readonly locations: CheckState["locations"];
}

interface OverviewQuery {
  /** Tags to filter by. If empty, all checks are listed. */
  readonly tags: readonly string[];
  /** Whether a check must have all of the tags. If false, one tag is enough. */
  readonly isEveryTag: boolean;
  readonly limit: number;
}

/** Lists active checks in the order of their names, up to the limit, with the total number. */
export async function listCheckOverviews(
  db: Database,
  accountId: string,
  query: OverviewQuery,
): Promise<{ readonly list: CheckOverview[]; readonly total: number }> {
  const rows = await runPrepared<CheckOverview & { readonly total: number }>(db, {
    name: "list-check-overviews",
    text: `select c.id, c.name, array(
          select tag from unnest(c.tags) with ordinality as one (tag, place)
          group by tag order by min(place)
        ) as tags,
        c.group_name as "groupName", coalesce(s.status, 'unknown') as status, s.since,
        s.last_due_at as "lastRunAt", s.last_result_id as "lastResultId",
        coalesce(s.locations, '{}') as locations, count(*) over () as total
      from checks_with_group c
      left join check_states s on s.check_id = c.id
      where c.account_id = $1 and c.is_active
        and case when cardinality($2::text[]) = 0 then true
          when $3 then c.tags @> $2 else c.tags && $2 end
      order by lower(c.name), c.id limit $4`,
    values: [accountId, query.tags, query.isEveryTag, query.limit],
  });
  // Sorts again: PostgreSQL sorts by characters, `compareNames` sorts numbers by value.
  const list = rows.sort((one, other) => compareNames(one.name, other.name));
  return { list, total: rows[0]?.total ?? 0 };
}

/** Data about a check that status pages need. */
export interface FollowedCheck {
  readonly id: string;
  /** Tags of the check and its group. */
  readonly tags: readonly string[];
  /** Whether the check and its group are activated. */
  readonly isActive: boolean;
  readonly hasRun: boolean;
}

/** Lists the account's checks that have one of the ids or one of the tags. */
export async function listFollowedChecks(
  db: Database,
  accountId: string,
  which: { readonly ids: readonly string[]; readonly tags: readonly string[] },
): Promise<FollowedCheck[]> {
  if (which.ids.length === 0 && which.tags.length === 0) return [];
  return runSql<FollowedCheck>(
    db,
    `select c.id, c.tags, c.is_active as "isActive",
        exists (select from check_states s where s.check_id = c.id) as "hasRun"
      from checks_with_group c
      where c.account_id = $1 and (c.id = any($2::uuid[]) or c.tags && $3::text[]) order by c.id`,
    [accountId, which.ids, which.tags],
  );
}

/** The newest final run of a check at one location. */
export interface NewestRun {
  readonly location: string;
  readonly startedAt: Date;
  readonly responseMs: number | null;
  /**
   * First bytes of the details of the run. They encode the numbers that statistics aggregate
   * (counters and parts). `null` if nothing was measured.
   */
  readonly figures: Buffer | null;
}

/** A check with its newest run at each location. */
export interface CheckWithRuns {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly groupName: string | null;
  readonly isActive: boolean;
  readonly isMuted: boolean;
  readonly runs: readonly NewestRun[];
}

interface Row extends Omit<CheckWithRuns, "runs"> {
  readonly total: number;
  readonly location: string | null;
  readonly startedAt: Date | null;
  readonly responseMs: number | null;
  readonly figures: Buffer | null;
}

const figureBytes = `case c.kind ${allKinds
  .map((kind) => `when '${kind.type}' then ${kind.figureBytes}`)
  .join(" ")} else 0 end`;

/**
 * The limit of 1 in the last subquery makes the planner look up one result per location. Without
 * this limit, the planner may read all results of the checks.
 */
const listNewestRunsText = `select c.id, c.kind, c.name, c.tags, c.group_name as "groupName",
    c.is_active as "isActive", c.is_muted as "isMuted", c.total, place.location,
    run.started_at as "startedAt", run.response_ms as "responseMs",
    case when run.trouble is null then substring(run.detail for ${figureBytes}) end as figures
  from (
    select *, count(*) over () as total from checks_with_group as one
    where account_id = $1 order by id limit $2
  ) as c
  left join check_states s on s.check_id = c.id
  left join lateral (
    select key as location, (value ->> 'resultId')::uuid as result_id
    from jsonb_each(s.locations)
  ) as place on true
  left join lateral (
    select * from readable_results as one
    where one.check_id = c.id and one.id = place.result_id limit 1
  ) as run on true
  order by c.id`;

/**
 * Lists checks with their newest runs. The oldest checks are listed first, so that the limit always
 * omits the same checks, namely the newest ones.
 */
export async function listNewestRuns(
  db: Database,
  accountId: string,
  limit: number,
): Promise<{ readonly checks: CheckWithRuns[]; readonly total: number }> {
  const rows = await runPrepared<Row>(db, {
    name: "list-newest-runs",
    text: listNewestRunsText,
    values: [accountId, limit],
  });
  const checks: (CheckWithRuns & { runs: NewestRun[] })[] = [];
  for (const { total: _total, location, startedAt, responseMs, figures, ...check } of rows) {
    let last = checks.at(-1);
    if (last?.id !== check.id) {
      last = { ...check, runs: [] };
      checks.push(last);
    }
    // A check may have no run yet, or its result may have been deleted after the retention period.
    if (location === null || startedAt === null) continue;
    last.runs.push({ location, startedAt, responseMs, figures });
  }
  return { checks, total: rows[0]?.total ?? 0 };
}

export type CountedState = CheckState["status"] | "inactive";

/** Counts the checks of an account by state. Deactivated checks count as inactive. */
export async function countStatesOf(
  db: Database,
  accountId: string,
  silentIds: readonly string[],
): Promise<Record<CountedState, number>> {
  const rows = await runPrepared<{ state: CountedState; count: number }>(db, {
    name: "count-states-of",
    text: `select case when not is_active then 'inactive'
          when id = any($2::uuid[]) then 'unknown' else status end as state, count(*)::int as count
      from checks_with_group as c where account_id = $1 group by 1`,
    values: [accountId, silentIds],
  });
  const counts = { failing: 0, degraded: 0, unknown: 0, passing: 0, inactive: 0 };
  for (const { state, count } of rows) counts[state] += count;
  return counts;
}

/** A failing or degraded check with its state. */
export interface FailingCheckRow {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly isMuted: boolean;
  readonly status: "failing" | "degraded";
  readonly since: Date;
  readonly locations: CheckState["locations"];
}

/**
 * Lists failing checks before degraded ones, and newer problems before older ones. Filters by the
 * column `status` first, because reading from the settings whether a check is active is slower.
 */
export function listFailingRows(
  db: Database,
  accountId: string,
  query: { readonly silentIds: readonly string[]; readonly limit: number },
): Promise<FailingCheckRow[]> {
  return runPrepared<FailingCheckRow>(db, {
    name: "list-failing-checks",
    text: `select c.id, c.kind, c.name, c.group_name as "groupName", c.tags,
        c.is_muted as "isMuted", s.status, s.since, s.locations
      from checks_with_group c join check_states s on s.check_id = c.id
      where c.account_id = $1 and c.id in (
          select id from checks_with_period as bad where account_id = $1
            and status in ('failing', 'degraded') and id <> all($2::uuid[]))
        and s.status in ('failing', 'degraded') and c.is_active
      order by s.status = 'failing' desc, s.since desc, c.id limit $3`,
    values: [accountId, query.silentIds, query.limit],
  });
}

/** Statistics about one location, computed from the newest run of each of the account's checks. */
export interface PlaceRecord {
  readonly region: string;
  /** Number of checks with a verdict from this location. */
  readonly checkCount: number;
  /** Number of checks that also have a verdict from another location. */
  readonly sharedCount: number;
  /**
   * Number of checks in `sharedCount` for which at least half of the other locations have the same
   * verdict as this location.
   */
  readonly agreeingCount: number;
  /** Number of shared checks that fail at this location and at no other location. */
  readonly failingOnlyThereCount: number;
  readonly lastResultAt: Date;
}

/** Lists the statistics of each location. Runs without a verdict do not count. */
export function listPlaceRecords(db: Database, accountId: string): Promise<PlaceRecord[]> {
  return runPrepared<PlaceRecord>(db, {
    name: "list-place-records",
    text: `with votes as (
        select c.id, place.key as region, (place.value -> 'atMs')::float8 as at_ms,
          place.value ->> 'verdict' as verdict
        from checks_with_period c join check_states s on s.check_id = c.id
          cross join lateral jsonb_each(s.locations) as place
        where c.account_id = $1
      ), compared as (
        select region, at_ms, verdict, count(*) over all_places as places,
          count(*) over same_places as same,
          count(*) filter (where verdict = 'failing') over all_places as failing
        from votes where verdict <> 'unknown'
        window all_places as (partition by id), same_places as (partition by id, verdict)
      )
      select region, count(*)::int as "checkCount",
        (count(*) filter (where places > 1))::int as "sharedCount",
        (count(*) filter (where places > 1 and 2 * (same - 1) >= places - 1))::int
          as "agreeingCount",
        (count(*) filter (where places > 1 and verdict = 'failing' and failing = 1))::int
          as "failingOnlyThereCount",
        to_timestamp(max(at_ms) / 1000) as "lastResultAt"
      from compared group by region order by region limit 1000`,
    values: [accountId],
  });
}

/** Counts the account's checks by stored status. Checks that have not run yet count as unknown. */
export async function countCheckStatuses(
  db: Database,
  accountId: string,
): Promise<Record<Verdict, number>> {
  const rows = await runPrepared<{ status: Verdict; count: number }>(db, {
    name: "count-check-statuses",
    text: "select status, count(*)::int as count from checks_with_period where account_id = $1 group by status",
    values: [accountId],
  });
  const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0 };
  for (const { status, count } of rows) counts[status] += count;
  return counts;
}
