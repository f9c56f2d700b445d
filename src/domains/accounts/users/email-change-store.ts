import { type Database, runSql } from "../../../platform/database.ts";

/** A new address that is pending until its link is opened. */
export interface EmailChange {
  readonly userId: string;
  readonly newEmail: string;
  readonly expiresAt: Date;
}

/** Stores a pending change. It replaces an earlier one, whose link stops working. */
export async function saveEmailChange(
  db: Database,
  change: EmailChange & { readonly tokenHash: Buffer; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `insert into email_changes (user_id, new_email, token_hash, created_at, expires_at)
      values ($1, $2, $3, $4, $5)
      on conflict (user_id) do update set new_email = excluded.new_email,
        token_hash = excluded.token_hash, created_at = excluded.created_at,
        expires_at = excluded.expires_at`,
    [change.userId, change.newEmail, change.tokenHash, change.at, change.expiresAt],
  );
}

const columns = `user_id as "userId", new_email as "newEmail", expires_at as "expiresAt"`;

export async function findEmailChange(db: Database, userId: string): Promise<EmailChange | null> {
  const text = `select ${columns} from email_changes where user_id = $1`;
  const [row] = await runSql<EmailChange>(db, text, [userId]);
  return row ?? null;
}

/** Deletes and returns the change in one statement, so that its link works only once. */
export async function takeEmailChange(
  db: Database,
  { userId, tokenHash }: { readonly userId: string; readonly tokenHash: Buffer },
): Promise<EmailChange | null> {
  const text = `delete from email_changes where user_id = $1 and token_hash = $2
    returning ${columns}`;
  const [row] = await runSql<EmailChange>(db, text, [userId, tokenHash]);
  return row ?? null;
}

export async function deleteEmailChange(db: Database, userId: string): Promise<boolean> {
  const text = "delete from email_changes where user_id = $1 returning 1";
  return (await runSql(db, text, [userId])).length > 0;
}

export async function deleteExpiredEmailChanges(db: Database, now: Date): Promise<void> {
  await runSql(db, "delete from email_changes where expires_at <= $1", [now]);
}
