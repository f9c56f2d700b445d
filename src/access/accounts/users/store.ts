import { type Database, runSql } from "../../../platform/database.ts";
import { notFound } from "../../../platform/errors.ts";
import type { Role } from "../caller.ts";
import type { UserWithPassword } from "./user.ts";

const selectUsers = `select id, email, name, password_hash as "passwordHash",
  credential_version as "credentialVersion", email_proven_at is not null as "isEmailProven"
  from users`;

export async function insertUser(
  db: Database,
  user: Omit<UserWithPassword, "credentialVersion"> & { readonly at: Date },
): Promise<void> {
  const { id, email, name, passwordHash, isEmailProven, at } = user;
  await runSql(
    db,
    `insert into users (id, email, name, password_hash, email_proven_at, created_at)
      values ($1, $2, $3, $4, $5, $6)`,
    [id, email, name, passwordHash, isEmailProven ? at : null, at],
  );
}

export async function findUserByEmail(
  db: Database,
  email: string,
): Promise<UserWithPassword | null> {
  const text = `${selectUsers} where lower(email) = lower($1)`;
  const [row] = await runSql<UserWithPassword>(db, text, [email]);
  return row ?? null;
}

export async function findUser(db: Database, id: string): Promise<UserWithPassword | null> {
  const [row] = await runSql<UserWithPassword>(db, `${selectUsers} where id = $1`, [id]);
  return row ?? null;
}

export async function getUser(db: Database, id: string): Promise<UserWithPassword> {
  const user = await findUser(db, id);
  if (user === null) throw notFound();
  return user;
}

/** Returns the user and locks the row until the transaction ends. */
export async function lockUser(db: Database, id: string): Promise<UserWithPassword | null> {
  const text = `${selectUsers} where id = $1 for no key update`;
  const [row] = await runSql<UserWithPassword>(db, text, [id]);
  return row ?? null;
}

/**
 * SQL that increments the credential version. Sign-ins in progress become invalid, because their
 * challenges contain the previous version.
 */
const raiseVersion = "credential_version = credential_version + 1";

export async function raiseCredentialVersion(db: Database, id: string): Promise<void> {
  await runSql(db, `update users set ${raiseVersion} where id = $1`, [id]);
}

/**
 * Transfers a user to the verified owner of the user's email address. Removes the password, because
 * another person may have chosen it.
 */
export async function saveTakeOver(db: Database, id: string, at: Date): Promise<void> {
  await runSql(
    db,
    `update users set password_hash = null, ${raiseVersion}, email_proven_at = $2,
      taken_over_at = $2, updated_at = $2 where id = $1`,
    [id, at],
  );
}

/** Changes the email address and invalidates sign-ins in progress. */
export async function updateEmail(
  db: Database,
  id: string,
  change: { readonly email: string; readonly isProven: boolean; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `update users set email = $2, email_proven_at = $3, ${raiseVersion}, updated_at = $4
      where id = $1`,
    [id, change.email, change.isProven ? change.at : null, change.at],
  );
}

export async function saveProvenEmail(db: Database, id: string, at: Date): Promise<void> {
  await runSql(db, "update users set email_proven_at = $2 where id = $1", [id, at]);
}

export async function updateUserName(
  db: Database,
  id: string,
  change: { readonly name: string | null; readonly at: Date },
): Promise<void> {
  const text = "update users set name = $2, updated_at = $3 where id = $1";
  await runSql(db, text, [id, change.name, change.at]);
}

export async function updatePassword(
  db: Database,
  id: string,
  change: { readonly passwordHash: string; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `update users set password_hash = $2, ${raiseVersion}, updated_at = $3 where id = $1`,
    [id, change.passwordHash, change.at],
  );
}

/** A new email address. It takes effect when the user opens the confirmation link. */
export interface EmailChange {
  readonly userId: string;
  readonly newEmail: string;
  readonly expiresAt: Date;
}

/** Stores a pending email change. It replaces an earlier one, whose link stops working. */
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

/** Deletes and returns an email change in one statement, so that its link works only once. */
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

interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface KnownIdentity extends Identity {
  readonly userId: string;
  readonly isRoleMapped: boolean;
}

export async function findIdentity(
  db: Database,
  { issuer, subject }: Identity,
): Promise<KnownIdentity | null> {
  const [row] = await runSql<KnownIdentity>(
    db,
    `select issuer, subject, user_id as "userId", is_role_mapped as "isRoleMapped"
      from oidc_identities where issuer = $1 and subject = $2`,
    [issuer, subject],
  );
  return row ?? null;
}

/** Returns whether the user is already linked to an identity of this issuer. */
export async function hasIdentityOf(
  db: Database,
  userId: string,
  issuer: string,
): Promise<boolean> {
  const text = "select 1 from oidc_identities where user_id = $1 and issuer = $2";
  return (await runSql(db, text, [userId, issuer])).length > 0;
}

/**
 * Links a user to an identity. Returns `false` if the user already has an identity of this issuer,
 * or if the identity belongs to another user.
 */
export async function insertIdentity(
  db: Database,
  { issuer, subject, userId, isRoleMapped, at }: KnownIdentity & { readonly at: Date },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into oidc_identities
        (issuer, subject, user_id, is_role_mapped, created_at, last_sign_in_at)
      values ($1, $2, $3, $4, $5, $5) on conflict do nothing returning 1`,
    [issuer, subject, userId, isRoleMapped, at],
  );
  return rows.length > 0;
}

export async function saveSignIn(
  db: Database,
  { issuer, subject, isRoleMapped }: KnownIdentity,
  at: Date,
): Promise<void> {
  await runSql(
    db,
    `update oidc_identities set is_role_mapped = $3, last_sign_in_at = $4
      where issuer = $1 and subject = $2`,
    [issuer, subject, isRoleMapped, at],
  );
}

/**
 * Returns the account that users of the OpenID provider join, which is the oldest account of the
 * server.
 */
export async function findFirstAccount(db: Database): Promise<string | null> {
  const rows = await runSql<{ id: string }>(
    db,
    "select id from accounts order by created_at, id limit 1",
  );
  return rows[0]?.id ?? null;
}

/**
 * Deletes and returns the invites for an address in one statement, so that each works only once.
 */
export function takeInvitesOf(
  db: Database,
  email: string,
  now: Date,
): Promise<{ readonly accountId: string; readonly role: Role }[]> {
  return runSql(
    db,
    `delete from invites where lower(email) = lower($1) and expires_at > $2
      returning account_id as "accountId", role`,
    [email, now],
  );
}
