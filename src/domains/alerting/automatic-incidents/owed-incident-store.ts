import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import type { Batch } from "../decider-store.ts";

/** Work name used when the owed incidents of a check fail and the check is quarantined. */
export const owedWork = "open and resolve owed incidents";

/** An incident that must be opened or resolved because of an alert. */
export interface OwedIncident {
  readonly checkId: string;
  readonly accountId: string;
  readonly alertNumber: number;
  readonly action: "OPEN" | "RESOLVE";
  /** Name of the incident; empty if it is to be resolved. */
  readonly name: string;
  readonly description: string;
  /** Number of failed attempts. Waiting for the end of a maintenance window does not count. */
  readonly attempts: number;
}

export async function saveOwedIncident(
  db: Database,
  owed: OwedIncident,
  nextAttemptAt: Date,
): Promise<void> {
  await runPrepared(db, {
    name: "save-owed-incident",
    text: `insert into owed_incidents (check_id, account_id, alert_number, action, name,
        description, attempts, next_attempt_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (check_id) do update set alert_number = excluded.alert_number,
        action = excluded.action, name = excluded.name, description = excluded.description,
        attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at`,
    values: [
      owed.checkId,
      owed.accountId,
      owed.alertNumber,
      owed.action,
      owed.name,
      owed.description,
      owed.attempts,
      nextAttemptAt,
    ],
  });
}

export function lockDueOwed(db: Database, { now, limit, checkId }: Batch): Promise<OwedIncident[]> {
  return runPrepared<OwedIncident>(db, {
    name: "lock-due-owed-incidents",
    text: `select check_id as "checkId", account_id as "accountId", alert_number as "alertNumber",
        action, name, description, attempts
      from owed_incidents where next_attempt_at <= $1 and ($3::uuid is null or check_id = $3)
      order by next_attempt_at limit $2 for update skip locked`,
    values: [now, limit, checkId],
  });
}

/** Lists the due checks, for retrying a failed batch one check at a time. */
export async function listDueOwed(
  db: Database,
  { limit, now }: Pick<Batch, "limit" | "now">,
): Promise<string[]> {
  const rows = await runSql<{ check_id: string }>(
    db,
    `select check_id from owed_incidents where next_attempt_at <= $1
      order by next_attempt_at limit $2`,
    [now, limit],
  );
  return rows.map((row) => row.check_id);
}

export async function postponeOwed(db: Database, checkId: string, at: Date): Promise<void> {
  await runSql(db, "update owed_incidents set next_attempt_at = $2 where check_id = $1", [
    checkId,
    at,
  ]);
}

export async function deleteOwedIncident(db: Database, checkId: string): Promise<void> {
  await runPrepared(db, {
    name: "delete-owed-incident",
    text: "delete from owed_incidents where check_id = $1",
    values: [checkId],
  });
}
