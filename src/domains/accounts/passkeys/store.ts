import type { Database } from "../../../platform/database.ts";

export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Host name the passkey was created for; it works on no other host. */
  readonly host: string;
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A passkey with the data needed to verify its signatures. */
export interface PasskeyWithKey extends Passkey {
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

export const maxPasskeysPerUser = 20;

type PasskeyTables = {
  passkeys: {
    id: string;
    user_id: string;
    name: string;
    host: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    transports: string[];
    is_synced: boolean;
    created_at: Date;
    last_used_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<PasskeyTables>();
const shown = [
  "id",
  "name",
  "host",
  "is_synced as isSynced",
  "created_at as createdAt",
  "last_used_at as lastUsedAt",
] as const;
const withKey = [
  ...shown,
  "user_id as userId",
  "credential_id as credentialId",
  "public_key as publicKey",
  "counter",
  "transports",
] as const;

/** Returns false if the credential is already registered. */
export async function insertPasskey(db: Database, passkey: PasskeyWithKey): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tables(db)
    .insertInto("passkeys")
    .values({
      id: passkey.id,
      user_id: passkey.userId,
      name: passkey.name,
      host: passkey.host,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: [...passkey.transports],
      is_synced: passkey.isSynced,
      created_at: passkey.createdAt,
      last_used_at: passkey.lastUsedAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export function listPasskeys(db: Database, userId: string): Promise<PasskeyWithKey[]> {
  return tables(db)
    .selectFrom("passkeys")
    .select(withKey)
    .where("user_id", "=", userId)
    .orderBy("id")
    .limit(maxPasskeysPerUser)
    .execute();
}

/**
 * Locks the row until the transaction ends, so that concurrent requests cannot use the same
 * counter.
 */
export async function lockPasskey(
  db: Database,
  credentialId: string,
): Promise<PasskeyWithKey | null> {
  const row = await tables(db)
    .selectFrom("passkeys")
    .select(withKey)
    .where("credential_id", "=", credentialId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

export async function saveUse(
  db: Database,
  id: string,
  use: { readonly counter: number; readonly isSynced: boolean; readonly at: Date },
): Promise<void> {
  await tables(db)
    .updateTable("passkeys")
    .set({ counter: use.counter, is_synced: use.isSynced, last_used_at: use.at })
    .where("id", "=", id)
    .execute();
}

export async function updatePasskeyName(
  db: Database,
  userId: string,
  change: { readonly id: string; readonly name: string },
): Promise<Passkey | null> {
  const row = await tables(db)
    .updateTable("passkeys")
    .set({ name: change.name })
    .where("user_id", "=", userId)
    .where("id", "=", change.id)
    .returning(shown)
    .executeTakeFirst();
  return row ?? null;
}

export async function deletePasskey(
  db: Database,
  userId: string,
  id: string,
): Promise<Passkey | null> {
  const row = await tables(db)
    .deleteFrom("passkeys")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .returning(shown)
    .executeTakeFirst();
  return row ?? null;
}
