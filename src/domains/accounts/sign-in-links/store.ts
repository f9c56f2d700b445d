import type { Database } from "../../../platform/database.ts";

/** SIGN_IN opens a session; RESET allows its holder to set a new password. */
export type LinkPurpose = "SIGN_IN" | "RESET";

export interface SignInLink {
  readonly userId: string;
  readonly purpose: LinkPurpose;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

type LinkTables = {
  sign_in_links: {
    token_hash: Buffer;
    user_id: string;
    purpose: LinkPurpose;
    created_at: Date;
    expires_at: Date;
  };
};

const tables = (db: Database) => db.withTables<LinkTables>();

export async function insertLink(
  db: Database,
  link: SignInLink & { readonly tokenHash: Buffer },
): Promise<void> {
  await tables(db)
    .insertInto("sign_in_links")
    .values({
      token_hash: link.tokenHash,
      user_id: link.userId,
      purpose: link.purpose,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
    })
    .execute();
}

/** Deletes and returns a link in one statement, so that it works only once. */
export async function takeLink(
  db: Database,
  link: { readonly tokenHash: Buffer; readonly purpose: LinkPurpose },
): Promise<SignInLink | null> {
  const row = await tables(db)
    .deleteFrom("sign_in_links")
    .where("token_hash", "=", link.tokenHash)
    .where("purpose", "=", link.purpose)
    .returning([
      "user_id as userId",
      "purpose",
      "created_at as createdAt",
      "expires_at as expiresAt",
    ])
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteLinksOfUser(db: Database, userId: string): Promise<void> {
  await tables(db).deleteFrom("sign_in_links").where("user_id", "=", userId).execute();
}

export async function deleteExpiredLinks(db: Database, now: Date): Promise<void> {
  await tables(db).deleteFrom("sign_in_links").where("expires_at", "<=", now).execute();
}
