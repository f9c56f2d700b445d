import type { Verdict } from "../../kinds/verdict.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { isWorkable } from "../../platform/set-aside.ts";

/** A final run that waits for alerting to decide on it. */
export interface QueuedRun {
  readonly id: number;
  readonly accountId: string;
  readonly checkId: string;
  readonly resultId: string;
  readonly location: string;
  readonly verdict: Verdict;
  readonly dueAt: Date;
  /** When a run before it last learned something; null when none did. */
  readonly lastResultAt: Date | null;
  readonly recordedAt: Date;
  /** To be decided on although later runs are known. */
  readonly isLate: boolean;
}

/** The name under which checks are set aside whose runs cannot be decided on. */
export const notableRunWork = "decide on runs";

const isDue = isWorkable({ work: "$1", key: "check_id::text", now: "$2" });

/** The oldest first: of one check, or of all that are not set aside. */
export function listQueuedRuns(
  db: Database,
  query: { readonly limit: number; readonly now: Date; readonly checkId: string | null },
): Promise<QueuedRun[]> {
  return runPrepared<QueuedRun>(db, {
    name: "list-notable-runs",
    text: `select id, account_id as "accountId", check_id as "checkId", result_id as "resultId",
      location, verdict, due_at as "dueAt", heard_at as "lastResultAt", recorded_at as "recordedAt",
      is_late as "isLate"
      from notable_runs where case when $4::uuid is null then ${isDue} else check_id = $4 end
      order by id limit $3`,
    values: [notableRunWork, query.now, query.limit, query.checkId],
  });
}

/** The checks that have such runs and are not set aside, the longest waiting first. */
export async function listQueuedCheckIds(
  db: Database,
  query: { readonly limit: number; readonly now: Date },
): Promise<string[]> {
  const rows = await runSql<{ checkId: string }>(
    db,
    `select check_id as "checkId" from notable_runs where ${isDue}
      group by check_id order by min(id) limit $3`,
    [notableRunWork, query.now, query.limit],
  );
  return rows.map(({ checkId }) => checkId);
}

export async function deleteQueuedRuns(db: Database, ids: readonly number[]): Promise<void> {
  await runSql(db, "delete from notable_runs where id = any($1::bigint[])", [ids]);
}

export async function deleteQueuedRunsOf(db: Database, checkId: string): Promise<void> {
  await runSql(db, "delete from notable_runs where check_id = $1", [checkId]);
}
