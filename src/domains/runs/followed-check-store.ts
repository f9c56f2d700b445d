import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { groupedCheckRows } from "../checks/index.ts";

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
