import { type Database, runSql } from "../../../platform/database.ts";
import type { Role } from "../caller.ts";

export interface Identity {
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

/** Returns false if the user is already linked to another identity of this issuer. */
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

/** Returns the account that users of the provider join: the first one created. */
export async function findFirstAccount(db: Database): Promise<string | null> {
  const rows = await runSql<{ id: string }>(
    db,
    "select id from accounts order by created_at, id limit 1",
  );
  return rows[0]?.id ?? null;
}

/** Deletes and returns invites in one statement, so that each works only once. */
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
