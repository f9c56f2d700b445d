import { type Database, runSql } from "../../../platform/database.ts";

/** SIGN_IN opens a session; RESET allows its holder to set a new password. */
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

/** Deletes and returns a link in one statement, so that it works only once. */
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
