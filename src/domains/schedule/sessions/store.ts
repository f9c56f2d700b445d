import { type Database, runSql } from "../../../platform/database.ts";

/** A run that was triggered manually. */
export interface CheckSession {
  readonly id: string;
  readonly checkId: string;
  readonly locations: readonly string[];
  readonly startedAt: Date;
}

/** The caller must have locked the checks: a deleted check would fail the statement. */
export async function insertSessions(
  db: Database,
  accountId: string,
  sessions: readonly CheckSession[],
): Promise<void> {
  await runSql(
    db,
    `insert into check_sessions (id, account_id, check_id, locations, started_at)
      select id, $1, "checkId", locations, "startedAt" from jsonb_to_recordset($2::jsonb)
        as session (id uuid, "checkId" uuid, locations text[], "startedAt" timestamptz)`,
    [accountId, JSON.stringify(sessions)],
  );
}

export async function findSession(
  db: Database,
  accountId: string,
  id: string,
): Promise<CheckSession | null> {
  const [row] = await runSql<CheckSession>(
    db,
    `select id, check_id as "checkId", locations, started_at as "startedAt" from check_sessions
      where account_id = $1 and id = $2`,
    [accountId, id],
  );
  return row ?? null;
}

export async function deleteSessionsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from check_sessions where started_at < $1", [before]);
}
