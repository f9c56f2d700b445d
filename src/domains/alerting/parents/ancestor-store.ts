import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";

export interface Ancestors {
  /** Of each check that has any, and of each of those, the checks it depends on. */
  readonly parents: Map<string, string[]>;
  /** Of every check above. */
  readonly statuses: Map<string, string>;
}

const maxDepth = 20;

/**
 * For decisions, which serve all accounts. A check that is off says nothing of now: its last
 * status would hold its children's alerts for ever, so it counts as unknown.
 */
export async function loadAncestors(db: Database, checkIds: readonly string[]): Promise<Ancestors> {
  const parents = new Map<string, string[]>();
  const statuses = new Map<string, string>();
  if (checkIds.length === 0) return { parents, statuses };
  const { rows } = await sql<{ checkId: string; parentId: string; status: string }>`
    with recursive above (check_id, parent_id, depth) as (
      select check_id, parent_id, 1 from check_parents
      where check_id = any(${[...new Set(checkIds)]}::uuid[])
      union
      select p.check_id, p.parent_id, above.depth + 1
      from above join check_parents p on p.check_id = above.parent_id
      where above.depth < ${maxDepth}
    )
    select edge.check_id as "checkId", edge.parent_id as "parentId",
      case when (c.settings->>'activated')::boolean
        and coalesce((g.settings->>'activated')::boolean, true)
        then c.status else 'unknown' end as status
    from (select distinct check_id, parent_id from above) edge
    join checks c on c.id = edge.parent_id left join check_groups g on g.id = c.group_id
    order by edge.check_id, edge.parent_id`.execute(db);
  for (const { checkId, parentId, status } of rows) {
    const known = parents.get(checkId);
    if (known === undefined) parents.set(checkId, [parentId]);
    else known.push(parentId);
    statuses.set(parentId, status);
  }
  return { parents, statuses };
}
