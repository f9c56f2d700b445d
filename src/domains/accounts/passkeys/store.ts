import { type Database, runSql } from "../../../platform/database.ts";

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

const shown = `id, name, host, is_synced as "isSynced", created_at as "createdAt",
  last_used_at as "lastUsedAt"`;
const withKey = `${shown}, user_id as "userId", credential_id as "credentialId",
  public_key as "publicKey", counter, transports`;

/** Returns false if the credential is already registered. */
export async function insertPasskey(db: Database, passkey: PasskeyWithKey): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into passkeys (id, user_id, name, host, credential_id, public_key, counter, transports,
        is_synced, created_at, last_used_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing returning 1`,
    [
      passkey.id,
      passkey.userId,
      passkey.name,
      passkey.host,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.isSynced,
      passkey.createdAt,
      passkey.lastUsedAt,
    ],
  );
  return rows.length > 0;
}

export function listPasskeys(db: Database, userId: string): Promise<PasskeyWithKey[]> {
  const text = `select ${withKey} from passkeys where user_id = $1 order by id limit $2`;
  return runSql(db, text, [userId, maxPasskeysPerUser]);
}

/**
 * Locks the row until the transaction ends, so that concurrent requests cannot use the same
 * counter.
 */
export async function lockPasskey(
  db: Database,
  credentialId: string,
): Promise<PasskeyWithKey | null> {
  const text = `select ${withKey} from passkeys where credential_id = $1 for update`;
  const [row] = await runSql<PasskeyWithKey>(db, text, [credentialId]);
  return row ?? null;
}

export async function saveUse(
  db: Database,
  id: string,
  use: { readonly counter: number; readonly isSynced: boolean; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    "update passkeys set counter = $2, is_synced = $3, last_used_at = $4 where id = $1",
    [id, use.counter, use.isSynced, use.at],
  );
}

export async function updatePasskeyName(
  db: Database,
  userId: string,
  change: { readonly id: string; readonly name: string },
): Promise<Passkey | null> {
  const text = `update passkeys set name = $3 where user_id = $1 and id = $2 returning ${shown}`;
  const [row] = await runSql<Passkey>(db, text, [userId, change.id, change.name]);
  return row ?? null;
}

export async function deletePasskey(
  db: Database,
  userId: string,
  id: string,
): Promise<Passkey | null> {
  const text = `delete from passkeys where user_id = $1 and id = $2 returning ${shown}`;
  const [row] = await runSql<Passkey>(db, text, [userId, id]);
  return row ?? null;
}
