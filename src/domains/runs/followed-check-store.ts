import { sql } from "kysely";
import type { Database } from "../../platform/database.ts";
import { groupedCheckRows } from "../checks/index.ts";

/** A check as those see it who follow it. */
export interface FollowedCheck {
  readonly id: string;
  /** Its own and its group's. */
  readonly tags: readonly string[];
  /** Whether it is meant to run: switched on, and its group too. */
  readonly isActive: boolean;
  /** Whether it has ever run. */
  readonly hasRun: boolean;
}

/** The account's checks that are named, or that have one of some tags. */
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
