import { sql } from "kysely";
import type { Verdict } from "../../../kinds/verdict.ts";
import type { Database } from "../../../platform/database.ts";
import { checkRows } from "../../checks/index.ts";

export interface StateChangeRecord {
  readonly checkId: string;
  /** `null` if the check was deleted. */
  readonly name: string | null;
  readonly from: Verdict;
  readonly to: Verdict;
  readonly at: Date;
  readonly resultId: string;
}

export interface StateChangeQuery {
  readonly checkId: string | null;
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
}

/** Newest first. */
export async function listStateChanges(
  db: Database,
  accountId: string,
  query: StateChangeQuery,
): Promise<StateChangeRecord[]> {
  const { rows } = await sql<StateChangeRecord>`select s.check_id as "checkId", c.name,
      s.from_status as "from", s.to_status as "to", s.at, s.result_id as "resultId"
    from state_changes s left join ${sql.raw(checkRows)} c on c.id = s.check_id
    where s.account_id = ${accountId} and s.at >= ${query.from} and s.at < ${query.to}
      and (${query.checkId}::uuid is null or s.check_id = ${query.checkId})
    order by s.at desc, s.id desc limit ${query.limit}`.execute(db);
  return rows;
}

/**
 * Deletes changes before a given time, up to a limit, and returns their number. The newest change
 * of an existing check is kept however old it is, because it has the start of the current status.
 */
export async function deleteStateChangesBefore(
  db: Database,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from state_changes where id = any(array(
      select old.id from state_changes old where old.at < ${before} and (
        exists (select 1 from state_changes later
          where later.check_id = old.check_id and later.id > old.id)
        or not exists (select 1 from ${sql.raw(checkRows)} c where c.id = old.check_id))
      order by old.at limit ${limit}))`.execute(db);
  return Number(numAffectedRows);
}
