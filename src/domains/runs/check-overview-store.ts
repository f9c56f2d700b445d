import { type Database, runPrepared } from "../../platform/database.ts";
import { compareNames } from "../../platform/natural-order.ts";
import { groupedCheckRows } from "../checks/index.ts";
import type { CheckState } from "./state.ts";

/** What a wall shows of a check besides its figures: one row each, with its group and state. */
export interface CheckOverview {
  readonly id: string;
  readonly name: string;
  /** Its own and its group's, each once, in the order they were given. */
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
  // The database's order is that of letters; where numbers differ, people expect the numbers'.
  const list = rows.sort((one, other) => compareNames(one.name, other.name));
  return { list, total: rows[0]?.total ?? 0 };
}
