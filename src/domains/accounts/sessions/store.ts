import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { ProvenFactor, Session, SignInWay } from "./session.ts";

type SessionTables = {
  sessions: {
    id: string;
    user_id: string;
    token_hash: Buffer;
    way: SignInWay;
    second_factor: ProvenFactor | null;
    address: string;
    user_agent: string | null;
    created_at: Date;
    expires_at: Date;
    last_used_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<SessionTables>();

export async function insertSession(
  db: Database,
  userId: string,
  session: Session & { readonly tokenHash: Buffer },
): Promise<void> {
  await tables(db)
    .insertInto("sessions")
    .values({
      id: session.id,
      user_id: userId,
      token_hash: session.tokenHash,
      way: session.way,
      second_factor: session.secondFactor,
      address: session.address,
      user_agent: session.userAgent,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
      last_used_at: null,
    })
    .execute();
}

/** Keeps the newest sessions; ids are ordered by time. */
export async function deleteOldestSessions(
  db: Database,
  userId: string,
  keptCount: number,
): Promise<void> {
  await sql`delete from sessions where user_id = ${userId} and id not in (
    select id from sessions where user_id = ${userId} order by id desc limit ${keptCount})`.execute(
    db,
  );
}

function selectSessions(db: Database, userId: string) {
  return tables(db)
    .selectFrom("sessions")
    .select([
      "id",
      "way",
      "second_factor as secondFactor",
      "address",
      "user_agent as userAgent",
      "created_at as createdAt",
      "expires_at as expiresAt",
      "last_used_at as lastUsedAt",
    ])
    .where("user_id", "=", userId);
}

export async function findSession(
  db: Database,
  userId: string,
  id: string,
): Promise<Session | null> {
  const row = await selectSessions(db, userId).where("id", "=", id).executeTakeFirst();
  return row ?? null;
}

export async function listSessions(db: Database, userId: string, now: Date): Promise<Session[]> {
  return selectSessions(db, userId)
    .where("expires_at", ">", now)
    .orderBy("id", "desc")
    .limit(100)
    .execute();
}

export async function findSessionStart(db: Database, id: string): Promise<Date | null> {
  const row = await tables(db)
    .selectFrom("sessions")
    .select("created_at")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.created_at ?? null;
}

export async function deleteSession(db: Database, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteOtherSessions(
  db: Database,
  userId: string,
  keptId: string | null,
): Promise<void> {
  let statement = tables(db).deleteFrom("sessions").where("user_id", "=", userId);
  if (keptId !== null) statement = statement.where("id", "!=", keptId);
  await statement.execute();
}

export async function deleteExpiredSessions(db: Database, now: Date): Promise<void> {
  await tables(db).deleteFrom("sessions").where("expires_at", "<=", now).execute();
}
