import { type Database, runPrepared } from "../../platform/database.ts";
import type { NotableRun } from "./notable-run.ts";

export interface NotableRow extends NotableRun {
  readonly checkId: string;
  readonly accountId: string;
}

/** Runs in the transaction that records the results, so that alerting finds them after a crash. */
export async function insertNotableRuns(
  db: Database,
  runs: readonly NotableRow[],
  at: Date,
): Promise<void> {
  if (runs.length === 0) return;
  await runPrepared(db, {
    name: "insert-notable-runs",
    text: `insert into notable_runs (account_id, check_id, result_id, location, verdict, due_at,
        heard_at, is_late, recorded_at)
      select account_id, check_id, result_id, location, verdict, to_timestamp(due_ms / 1000),
        to_timestamp(last_result_ms / 1000), is_late, $8
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::float8[],
        $7::float8[], $9::boolean[]) as one (account_id, check_id, result_id, location, verdict,
        due_ms, last_result_ms, is_late)`,
    values: [
      runs.map((run) => run.accountId),
      runs.map((run) => run.checkId),
      runs.map((run) => run.resultId),
      runs.map((run) => run.location),
      runs.map((run) => run.verdict),
      runs.map((run) => run.dueAtMs),
      runs.map((run) => run.lastResultAtMs),
      at,
      runs.map((run) => run.isLate),
    ],
  });
}

/** Returns when the newest run of each check was due, if it has a verdict. */
export async function findLastResultTimes(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await runPrepared<{ check_id: string; last_due_at: Date }>(db, {
    name: "find-last-result-times",
    text: `select check_id, last_due_at from check_states
      where check_id = any($1::uuid[]) and status <> 'unknown'`,
    values: [checkIds],
  });
  return new Map(rows.map((row) => [row.check_id, row.last_due_at]));
}
