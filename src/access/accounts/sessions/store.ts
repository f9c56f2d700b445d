import { type Database, runSql } from "../../../platform/database.ts";
import type { Session } from "./session.ts";

export async function insertSession(
  db: Database,
  userId: string,
  session: Session & { readonly tokenHash: Buffer },
): Promise<void> {
  await runSql(
    db,
    `insert into sessions (id, user_id, token_hash, way, second_factor, address, user_agent,
        created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      session.id,
      userId,
      session.tokenHash,
      session.way,
      session.secondFactor,
      session.address,
      session.userAgent,
      session.createdAt,
      session.expiresAt,
    ],
  );
}

/** Deletes all but the newest sessions of a user. Ids are in the order of creation. */
export async function deleteOldestSessions(
  db: Database,
  userId: string,
  keptCount: number,
): Promise<void> {
  await runSql(
    db,
    `delete from sessions where user_id = $1 and id not in (
      select id from sessions where user_id = $1 order by id desc limit $2)`,
    [userId, keptCount],
  );
}

const selectSessions = `select id, way, second_factor as "secondFactor", address,
    user_agent as "userAgent", created_at as "createdAt", expires_at as "expiresAt",
    last_used_at as "lastUsedAt"
  from sessions where user_id = $1`;

export async function findSession(
  db: Database,
  userId: string,
  id: string,
): Promise<Session | null> {
  const [row] = await runSql<Session>(db, `${selectSessions} and id = $2`, [userId, id]);
  return row ?? null;
}

export function listSessions(db: Database, userId: string, now: Date): Promise<Session[]> {
  const text = `${selectSessions} and expires_at > $2 order by id desc limit 100`;
  return runSql(db, text, [userId, now]);
}

export async function findSessionStart(db: Database, id: string): Promise<Date | null> {
  const text = "select created_at as start from sessions where id = $1";
  const [row] = await runSql<{ start: Date }>(db, text, [id]);
  return row?.start ?? null;
}

export async function deleteSession(db: Database, userId: string, id: string): Promise<boolean> {
  const text = "delete from sessions where user_id = $1 and id = $2 returning 1";
  return (await runSql(db, text, [userId, id])).length > 0;
}

export async function deleteOtherSessions(
  db: Database,
  userId: string,
  keptId: string | null,
): Promise<void> {
  const text = "delete from sessions where user_id = $1 and id is distinct from $2";
  await runSql(db, text, [userId, keptId]);
}

export async function deleteExpiredSessions(db: Database, now: Date): Promise<void> {
  await runSql(db, "delete from sessions where expires_at <= $1", [now]);
}

/** Purpose of a link. SIGN_IN opens a session, and RESET lets the user set a new password. */
export type LinkPurpose = "SIGN_IN" | "RESET";

export interface SignInLink {
  readonly userId: string;
  readonly purpose: LinkPurpose;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function insertLink(
  db: Database,
  link: SignInLink & { readonly tokenHash: Buffer },
): Promise<void> {
  await runSql(
    db,
    `insert into sign_in_links (token_hash, user_id, purpose, created_at, expires_at)
      values ($1, $2, $3, $4, $5)`,
    [link.tokenHash, link.userId, link.purpose, link.createdAt, link.expiresAt],
  );
}

/** Deletes and returns a link in one statement, so that the link works only once. */
export async function takeLink(
  db: Database,
  link: { readonly tokenHash: Buffer; readonly purpose: LinkPurpose },
): Promise<SignInLink | null> {
  const [row] = await runSql<SignInLink>(
    db,
    `delete from sign_in_links where token_hash = $1 and purpose = $2
      returning user_id as "userId", purpose, created_at as "createdAt", expires_at as "expiresAt"`,
    [link.tokenHash, link.purpose],
  );
  return row ?? null;
}

export async function deleteLinksOfUser(db: Database, userId: string): Promise<void> {
  await runSql(db, "delete from sign_in_links where user_id = $1", [userId]);
}

export async function deleteExpiredLinks(db: Database, now: Date): Promise<void> {
  await runSql(db, "delete from sign_in_links where expires_at <= $1", [now]);
}
