import { type Generated, type RawBuilder, sql } from "kysely";
import { type Database, runSql } from "../../../platform/database.ts";
import { notFound } from "../../../platform/errors.ts";
import type { User, UserWithPassword } from "./user.ts";

type UserTables = {
  users: {
    id: string;
    email: string;
    name: string | null;
    password_hash: string | null;
    credential_version: Generated<number>;
    email_proven_at: Date | null;
    taken_over_at: Date | null;
    created_at: Date;
    updated_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<UserTables>();

function selectUsers(db: Database) {
  return tables(db)
    .selectFrom("users")
    .select([
      "id",
      "email",
      "name",
      "password_hash as passwordHash",
      "credential_version as credentialVersion",
      sql<boolean>`email_proven_at is not null`.as("isEmailProven"),
    ]);
}

export async function insertUser(
  db: Database,
  user: Omit<UserWithPassword, "credentialVersion"> & { readonly at: Date },
): Promise<void> {
  await tables(db)
    .insertInto("users")
    .values({
      id: user.id,
      email: user.email,
      name: user.name,
      password_hash: user.passwordHash,
      email_proven_at: user.isEmailProven ? user.at : null,
      taken_over_at: null,
      created_at: user.at,
      updated_at: null,
    })
    .execute();
}

export async function findUserByEmail(
  db: Database,
  email: string,
): Promise<UserWithPassword | null> {
  const row = await selectUsers(db)
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .executeTakeFirst();
  return row ?? null;
}

export async function findUser(db: Database, id: string): Promise<UserWithPassword | null> {
  const row = await selectUsers(db).where("id", "=", id).executeTakeFirst();
  return row ?? null;
}

export async function getUser(db: Database, id: string): Promise<UserWithPassword> {
  const user = await findUser(db, id);
  if (user === null) throw notFound();
  return user;
}

/** Locks the user until the transaction ends. */
export async function lockUser(db: Database, id: string): Promise<UserWithPassword | null> {
  const row = await selectUsers(db).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
  return row ?? null;
}

const nextVersion: RawBuilder<number> = sql`credential_version + 1`;

/** Invalidates sign-ins in progress: their challenges contain the previous version. */
export async function raiseCredentialVersion(db: Database, id: string): Promise<void> {
  await tables(db)
    .updateTable("users")
    .set({ credential_version: nextVersion })
    .where("id", "=", id)
    .execute();
}

/** Removes the password when the verified owner of the email address takes over the user. */
export async function saveTakeOver(db: Database, id: string, at: Date): Promise<void> {
  await tables(db)
    .updateTable("users")
    .set({
      password_hash: null,
      credential_version: nextVersion,
      email_proven_at: at,
      taken_over_at: at,
      updated_at: at,
    })
    .where("id", "=", id)
    .execute();
}

/** Changes the email address and invalidates sign-ins in progress. */
export async function updateEmail(
  db: Database,
  id: string,
  change: { readonly email: string; readonly isProven: boolean; readonly at: Date },
): Promise<void> {
  await tables(db)
    .updateTable("users")
    .set({
      email: change.email,
      email_proven_at: change.isProven ? change.at : null,
      credential_version: nextVersion,
      updated_at: change.at,
    })
    .where("id", "=", id)
    .execute();
}

export async function saveProvenEmail(db: Database, id: string, at: Date): Promise<void> {
  await tables(db).updateTable("users").set({ email_proven_at: at }).where("id", "=", id).execute();
}

export async function updateUser(
  db: Database,
  user: User,
  change: { readonly name?: string | null; readonly passwordHash?: string; readonly at: Date },
): Promise<void> {
  await tables(db)
    .updateTable("users")
    .set({
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.passwordHash === undefined
        ? {}
        : { password_hash: change.passwordHash, credential_version: nextVersion }),
      updated_at: change.at,
    })
    .where("id", "=", user.id)
    .execute();
}

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
