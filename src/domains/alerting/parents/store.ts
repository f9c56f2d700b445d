import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";

export { type Ancestors, loadAncestors } from "./ancestor-store.ts";

/** Two changes at once could each be sound and make a circle together, so they go in turn. */
export async function lockParents(db: Database, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('check-parents'), hashtext(${accountId}))`.execute(
    db,
  );
}

export async function listParents(
  db: Database,
  accountId: string,
  checkId: string,
): Promise<string[]> {
  const { rows } = await sql<{ parentId: string }>`
    select p.parent_id as "parentId" from check_parents p join checks c on c.id = p.check_id
    where c.account_id = ${accountId} and p.check_id = ${checkId}
    order by p.parent_id`.execute(db);
  return rows.map((row) => row.parentId);
}

/** Who depends on whom in the account. */
export async function loadParentGraph(
  db: Database,
  accountId: string,
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ checkId: string; parentIds: string[] }>`
    select p.check_id as "checkId", array_agg(p.parent_id order by p.parent_id) as "parentIds"
    from check_parents p join checks c on c.id = p.check_id
    where c.account_id = ${accountId} group by p.check_id`.execute(db);
  return new Map(rows.map((row) => [row.checkId, row.parentIds]));
}

export async function replaceParents(
  db: Database,
  accountId: string,
  change: { readonly checkId: string; readonly parentIds: readonly string[] },
): Promise<void> {
  const { checkId, parentIds } = change;
  await sql`delete from check_parents p using checks c
    where c.id = p.check_id and c.account_id = ${accountId} and p.check_id = ${checkId}`.execute(
    db,
  );
  if (parentIds.length === 0) return;
  await sql`insert into check_parents (check_id, parent_id)
    select c.id, parent.id from checks c join checks parent on parent.account_id = c.account_id
    where c.id = ${checkId} and c.account_id = ${accountId}
      and parent.id = any(${[...parentIds]}::uuid[])
    on conflict do nothing`.execute(db);
}
