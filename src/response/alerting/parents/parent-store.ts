import { listAccountCheckIds } from "../../../checks/checks/index.ts";
import { type Database, runPrepared, runSql } from "../../../platform/database.ts";

/** Maps each check id to the ids of its parents. */
type ParentGraph = ReadonlyMap<string, readonly string[]>;

/** Maximum number of ancestors that are searched. Real networks have far fewer. */
export const maxAncestors = 1_000;

/**
 * Returns the checks of one cycle, with the first check repeated at the end; `null` if the graph
 * has no cycle. The search is not recursive, because a very long chain would overflow the stack.
 */
export function findCycle(graph: ParentGraph): readonly string[] | null {
  const done = new Set<string>();
  for (const start of graph.keys()) {
    const cycle = findCycleFrom(start, graph, done);
    if (cycle !== null) return cycle;
  }
  return null;
}

function findCycleFrom(
  start: string,
  graph: ParentGraph,
  done: Set<string>,
): readonly string[] | null {
  if (done.has(start)) return null;
  const parentsOf = (id: string) => (graph.get(id) ?? [])[Symbol.iterator]();
  const trail = [{ id: start, parents: parentsOf(start) }];
  const onTrail = new Set([start]);
  for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
    const { value: parent, done: isExhausted } = top.parents.next();
    if (isExhausted === true || parent === undefined) {
      done.add(top.id);
      onTrail.delete(top.id);
      trail.pop();
      continue;
    }
    if (onTrail.has(parent)) {
      const ids = trail.map((step) => step.id);
      return [...ids.slice(ids.indexOf(parent)), parent];
    }
    if (done.has(parent)) continue;
    onTrail.add(parent);
    trail.push({ id: parent, parents: parentsOf(parent) });
  }
  return null;
}

/**
 * Returns the nearest failing ancestor of a check. If several are equally near, returns the first
 * in parent order. A check in a cycle is never its own ancestor.
 */
export function findFailingParent(
  checkId: string,
  parentsOf: (checkId: string) => readonly string[],
  statusOf: (checkId: string) => string | null,
): string | null {
  const visited = new Set([checkId]);
  const waiting = [checkId];
  // Breadth-first search: the loop appends parents to the list that it iterates over.
  for (const id of waiting) {
    for (const parent of parentsOf(id)) {
      if (visited.has(parent)) continue;
      if (visited.size > maxAncestors) return null;
      if (statusOf(parent) === "failing") return parent;
      visited.add(parent);
      waiting.push(parent);
    }
  }
  return null;
}

/** Locks an account's parents. Otherwise, two concurrent changes could form a cycle together. */
export async function lockParents(db: Database, accountId: string): Promise<void> {
  await runSql(db, "select pg_advisory_xact_lock(hashtext('check-parents'), hashtext($1))", [
    accountId,
  ]);
}

/** Lists the parents of a check. The caller must verify that the account owns the check. */
export async function listParents(db: Database, checkId: string): Promise<string[]> {
  const rows = await runSql<{ parentId: string }>(
    db,
    `select parent_id as "parentId" from check_parents where check_id = $1 order by parent_id`,
    [checkId],
  );
  return rows.map((row) => row.parentId);
}

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

/** Replaces the parents of a check. The caller must verify that the account owns all checks. */
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

/**
 * Loads the parents of each check and of its ancestors, up to a maximum distance. Does not filter
 * by account.
 */
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
