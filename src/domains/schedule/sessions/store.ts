import type { Database } from "../../../platform/database.ts";

/** A run that was triggered manually. */
export interface CheckSession {
  readonly id: string;
  readonly checkId: string;
  readonly locations: readonly string[];
  readonly startedAt: Date;
}

type SessionTables = {
  check_sessions: {
    id: string;
    account_id: string;
    check_id: string;
    locations: string[];
    started_at: Date;
  };
};

const tables = (db: Database) => db.withTables<SessionTables>();

/** The caller must have locked the checks: a deleted check would fail the statement. */
export async function insertSessions(
  db: Database,
  accountId: string,
  sessions: readonly CheckSession[],
): Promise<void> {
  await tables(db)
    .insertInto("check_sessions")
    .values(
      sessions.map((session) => ({
        id: session.id,
        account_id: accountId,
        check_id: session.checkId,
        locations: [...session.locations],
        started_at: session.startedAt,
      })),
    )
    .execute();
}

export async function findSession(
  db: Database,
  accountId: string,
  id: string,
): Promise<CheckSession | null> {
  const row = await tables(db)
    .selectFrom("check_sessions")
    .select(["id", "check_id as checkId", "locations", "started_at as startedAt"])
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteSessionsBefore(db: Database, before: Date): Promise<void> {
  await tables(db).deleteFrom("check_sessions").where("started_at", "<", before).execute();
}
