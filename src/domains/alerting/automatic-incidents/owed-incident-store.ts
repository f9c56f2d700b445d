import type pg from "pg";
import type { Batch } from "../decider-store.ts";

/** What an alert asked of its check's incident. */
export interface OwedIncident {
  readonly checkId: string;
  readonly accountId: string;
  readonly alertNumber: number;
  readonly action: "OPEN" | "RESOLVE";
  /** Of the incident; nothing for one that is resolved. */
  readonly name: string;
  readonly description: string;
  /** How often it failed; to wait for the end of a window is no failure. */
  readonly attempts: number;
}

export async function saveOwedIncident(
  client: pg.PoolClient,
  owed: OwedIncident,
  nextAttemptAt: Date,
): Promise<void> {
  await client.query({
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

export async function lockDueOwed(
  client: pg.PoolClient,
  { now, limit, checkId }: Batch,
): Promise<OwedIncident[]> {
  const { rows } = await client.query<OwedIncident>({
    name: "lock-due-owed-incidents",
    text: `select check_id as "checkId", account_id as "accountId", alert_number as "alertNumber",
        action, name, description, attempts
      from owed_incidents where next_attempt_at <= $1 and ($3::uuid is null or check_id = $3)
      order by next_attempt_at limit $2 for update skip locked`,
    values: [now, limit, checkId],
  });
  return rows;
}

export async function postponeOwed(pool: pg.Pool, checkId: string, at: Date): Promise<void> {
  await pool.query("update owed_incidents set next_attempt_at = $2 where check_id = $1", [
    checkId,
    at,
  ]);
}

export async function deleteOwedIncident(
  client: pg.Pool | pg.PoolClient,
  checkId: string,
): Promise<void> {
  await client.query({
    name: "delete-owed-incident",
    text: "delete from owed_incidents where check_id = $1",
    values: [checkId],
  });
}
