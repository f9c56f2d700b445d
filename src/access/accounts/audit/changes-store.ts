/** Finds what other requests have changed since a mark, from the audit entries of the changes. */
import { type Database, runSql } from "../../../platform/database.ts";
import type { AuditActor } from "./store.ts";

/** Returns a mark of what is committed now, for `listTargetsChangedSince`. */
export async function markAuditEntries(db: Database): Promise<string> {
  const text = "select pg_current_snapshot()::text as mark";
  const [row] = await runSql<{ mark: string }>(db, text, []);
  if (row === undefined) throw new Error("PostgreSQL returned no snapshot.");
  return row.mark;
}

/** Newest entries of a target that are read to find changes since a mark. */
const recentEntries = 20;

/**
 * Lists which of the targets other requests have changed since a mark. Every change is audited in
 * its own transaction, so a change that is committed is found.
 */
export async function listTargetsChangedSince(
  db: Database,
  { accountId, requestId }: Pick<AuditActor, "accountId" | "requestId">,
  { mark, targetIds }: { readonly mark: string; readonly targetIds: readonly string[] },
): Promise<string[]> {
  const rows = await runSql<{ id: string }>(
    db,
    `with recent as (
        select target.id, entry.xmin, entry.request_id from unnest($2::text[]) as target (id)
          cross join lateral (select xmin, request_id from audit_entries
            where account_id = $1 and target_id = target.id order by id desc limit $5) as entry
        union all
        select unnest(entry.item_ids), entry.xmin, entry.request_id
          from (select item_ids, xmin, request_id from audit_entries
            where account_id = $1 and item_ids && $2::text[] order by id desc limit $5) as entry),
      numbered as (
        select id, request_id, next, (next >> 32 << 32) + xmin::text::bigint as number
        from recent, (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint) as now (next))
      select distinct id from numbered
      where id = any($2::text[]) and request_id is distinct from $4
        -- xmin lacks the upper half of the number, which is lower for old rows.
        and not pg_visible_in_snapshot(
          (case when number >= next then greatest(number - (1::bigint << 32), 3) else number end)
            ::text::xid8, $3::pg_snapshot)`,
    [accountId, targetIds, mark, requestId, recentEntries],
  );
  return rows.map(({ id }) => id);
}
