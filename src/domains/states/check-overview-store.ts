import { sql } from "kysely";
import { type Database, runPrepared } from "../../platform/database.ts";
import { compareNames } from "../../platform/text/compare.ts";
import { groupedCheckRows } from "../checks/index.ts";
import type { CheckState } from "./state.ts";

/** A check as dashboards show it, without its figures. */
export interface CheckOverview {
  readonly id: string;
  readonly name: string;
  /** Tags of the check and its group without duplicates, in their given order. */
  readonly tags: readonly string[];
  readonly groupName: string | null;
  readonly status: CheckState["status"];
  /** `null` before the first run. */
  readonly since: Date | null;
  readonly lastRunAt: Date | null;
  readonly lastResultId: string | null;
  readonly locations: CheckState["locations"];
}

export interface OverviewQuery {
  /** All checks if empty. */
  readonly tags: readonly string[];
  /** If true, all tags must match; otherwise one is enough. */
  readonly isEveryTag: boolean;
  readonly limit: number;
}

/** Lists active checks in name order, with their total number. */
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
      from ${groupedCheckRows} c
      left join check_states s on s.check_id = c.id
      where c.account_id = $1 and c.is_active
        and case when cardinality($2::text[]) = 0 then true
          when $3 then c.tags @> $2 else c.tags && $2 end
      order by lower(c.name), c.id limit $4`,
    values: [accountId, query.tags, query.isEveryTag, query.limit],
  });
  // PostgreSQL sorts by characters; compareNames sorts numbers in names by value.
  const list = rows.sort((one, other) => compareNames(one.name, other.name));
  return { list, total: rows[0]?.total ?? 0 };
}

/** A check as status pages see it. */
export interface FollowedCheck {
  readonly id: string;
  /** Tags of the check and its group. */
  readonly tags: readonly string[];
  /** Whether the check and its group are activated. */
  readonly isActive: boolean;
  /** Whether the check has ever run. */
  readonly hasRun: boolean;
}

/** Lists the account's checks with one of the ids or one of the tags. */
export async function listFollowedChecks(
  db: Database,
  accountId: string,
  which: { readonly ids: readonly string[]; readonly tags: readonly string[] },
): Promise<FollowedCheck[]> {
  if (which.ids.length === 0 && which.tags.length === 0) return [];
  const { rows } = await sql<FollowedCheck>`select c.id, c.tags, c.is_active as "isActive",
      exists (select from check_states s where s.check_id = c.id) as "hasRun"
    from ${sql.raw(groupedCheckRows)} c
    where c.account_id = ${accountId} and (c.id = any(${[...which.ids]}::uuid[])
      or c.tags && ${[...which.tags]}::text[])
    order by c.id`.execute(db);
  return rows;
}
