import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import { listAccountCheckIds } from "../../checks/index.ts";

/** Serializes changes: two concurrent changes could each be valid but form a cycle together. */
export async function lockParents(db: Database, accountId: string): Promise<void> {
  await runSql(db, "select pg_advisory_xact_lock(hashtext('check-parents'), hashtext($1))", [
    accountId,
  ]);
}

/** The caller must have verified that the check belongs to the account. */
export async function listParents(db: Database, checkId: string): Promise<string[]> {
  const rows = await runSql<{ parentId: string }>(
    db,
    `select parent_id as "parentId" from check_parents where check_id = $1 order by parent_id`,
    [checkId],
  );
  return rows.map((row) => row.parentId);
}

/** Loads the parents of all checks of the account. */
export async function loadParentGraph(
  db: Database,
  accountId: string,
): Promise<Map<string, string[]>> {
  const checkIds = await listAccountCheckIds(db, accountId, null);
  const rows = await runSql<{ checkId: string; parentIds: string[] }>(
    db,
    `select check_id as "checkId", array_agg(parent_id order by parent_id) as "parentIds"
      from check_parents where check_id = any($1::uuid[]) group by check_id`,
    [checkIds],
  );
  return new Map(rows.map((row) => [row.checkId, row.parentIds]));
}

/** The caller must have verified that the check and its parents belong to the account. */
export async function replaceParents(
  db: Database,
  change: { readonly checkId: string; readonly parentIds: readonly string[] },
): Promise<void> {
  const { checkId, parentIds } = change;
  await runSql(db, "delete from check_parents where check_id = $1", [checkId]);
  if (parentIds.length === 0) return;
  await runSql(
    db,
    `insert into check_parents (check_id, parent_id)
      select $1::uuid, parent_id from unnest($2::uuid[]) as parent_id on conflict do nothing`,
    [checkId, parentIds],
  );
}

const maxDepth = 20;

/** Loads the ancestors of each check, up to a limit. Does not filter by account. */
export async function loadAncestors(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, string[]>> {
  const parents = new Map<string, string[]>();
  if (checkIds.length === 0) return parents;
  const rows = await runPrepared<{ checkId: string; parentId: string }>(db, {
    name: "load-ancestors",
    text: `with recursive above (check_id, parent_id, depth) as (
        select check_id, parent_id, 1 from check_parents where check_id = any($1::uuid[])
        union
        select p.check_id, p.parent_id, above.depth + 1
        from above join check_parents p on p.check_id = above.parent_id
        where above.depth < $2
      )
      select distinct check_id as "checkId", parent_id as "parentId" from above
      order by check_id, parent_id`,
    values: [[...new Set(checkIds)], maxDepth],
  });
  for (const { checkId, parentId } of rows) {
    const known = parents.get(checkId);
    if (known === undefined) parents.set(checkId, [parentId]);
    else known.push(parentId);
  }
  return parents;
}
