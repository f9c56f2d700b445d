import { type Database, runPrepared } from "../../../platform/database.ts";
import { checkRows, groupedCheckRows } from "../../checks/index.ts";
import type { CheckState } from "../state.ts";

export type CountedState = CheckState["status"] | "inactive";

/** Counts checks by state; deactivated checks are counted as inactive. */
export async function countStatesOf(
  db: Database,
  accountId: string,
  silentIds: readonly string[],
): Promise<Record<CountedState, number>> {
  const rows = await runPrepared<{ state: CountedState; count: number }>(db, {
    name: "count-states-of",
    text: `select case when not is_active then 'inactive'
          when id = any($2::uuid[]) then 'unknown' else status end as state, count(*)::int as count
      from ${groupedCheckRows} as c where account_id = $1 group by 1`,
    values: [accountId, silentIds],
  });
  const counts = { failing: 0, degraded: 0, unknown: 0, passing: 0, inactive: 0 };
  for (const { state, count } of rows) counts[state] += count;
  return counts;
}

/** A failing or degraded check with the state after its newest run. */
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
 * Lists failing before degraded checks, newest problem first. Filters by the status column first,
 * because whether a check is active must be read from its settings.
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
      from ${groupedCheckRows} c join check_states s on s.check_id = c.id
      where c.account_id = $1 and c.id in (
          select id from ${checkRows} as bad where account_id = $1
            and status in ('failing', 'degraded') and id <> all($2::uuid[]))
        and s.status in ('failing', 'degraded') and c.is_active
      order by s.status = 'failing' desc, s.since desc, c.id limit $3`,
    values: [accountId, query.silentIds, query.limit],
  });
}
