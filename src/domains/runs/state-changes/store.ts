import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { Verdict } from "../verdict.ts";

export interface StateChangeRecord {
  readonly checkId: string;
  /** Null when the check is gone. */
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
    from state_changes s left join checks c on c.id = s.check_id
    where s.account_id = ${accountId} and s.at >= ${query.from} and s.at < ${query.to}
      and (${query.checkId}::uuid is null or s.check_id = ${query.checkId})
    order by s.at desc, s.id desc limit ${query.limit}`.execute(db);
  return rows;
}
