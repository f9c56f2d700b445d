import { type Database, runSql } from "../../../platform/database.ts";
import type { Role } from "../role.ts";

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface KnownIdentity extends Identity {
  readonly userId: string;
  readonly isRoleMapped: boolean;
}

type OidcTables = {
  oidc_identities: {
    issuer: string;
    subject: string;
    user_id: string;
    is_role_mapped: boolean;
    created_at: Date;
    last_sign_in_at: Date;
  };
};

const tables = (db: Database) => db.withTables<OidcTables>();

export async function findIdentity(
  db: Database,
  { issuer, subject }: Identity,
): Promise<KnownIdentity | null> {
  const row = await tables(db)
    .selectFrom("oidc_identities")
    .select(["issuer", "subject", "user_id as userId", "is_role_mapped as isRoleMapped"])
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns whether the user is already linked to an identity of this issuer. */
export async function hasIdentityOf(
  db: Database,
  userId: string,
  issuer: string,
): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("oidc_identities")
    .select("subject")
    .where("user_id", "=", userId)
    .where("issuer", "=", issuer)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns false if the user is already linked to another identity of this issuer. */
export async function insertIdentity(
  db: Database,
  identity: KnownIdentity & { readonly at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tables(db)
    .insertInto("oidc_identities")
    .values({
      issuer: identity.issuer,
      subject: identity.subject,
      user_id: identity.userId,
      is_role_mapped: identity.isRoleMapped,
      created_at: identity.at,
      last_sign_in_at: identity.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function saveSignIn(
  db: Database,
  { issuer, subject, isRoleMapped }: KnownIdentity,
  at: Date,
): Promise<void> {
  await tables(db)
    .updateTable("oidc_identities")
    .set({ is_role_mapped: isRoleMapped, last_sign_in_at: at })
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .execute();
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
