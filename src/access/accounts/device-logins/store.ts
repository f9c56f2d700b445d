import { type Database, runSql } from "../../../platform/database.ts";
import type { DeviceLogin } from "./device-login.ts";

const columns = `id, user_code as "userCode", client, address, created_at as "createdAt",
  expires_at as "expiresAt", polled_at as "polledAt", interval_seconds as "intervalSeconds",
  status, user_id as "userId"`;

export async function countDeviceLogins(db: Database): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    db,
    "select count(*)::int as count from device_logins",
  );
  return row?.count ?? 0;
}

/** Stores a device login. Returns `false` if its user code is already in use. */
export async function insertDeviceLogin(
  db: Database,
  login: DeviceLogin & { readonly deviceHash: Buffer },
): Promise<boolean> {
  const { id, deviceHash, userCode, client, address, createdAt, expiresAt } = login;
  const text = `insert into device_logins (id, device_hash, user_code, client, address, created_at,
      expires_at, interval_seconds) values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict do nothing returning id`;
  const values = [id, deviceHash, userCode, client, address, createdAt, expiresAt];
  return (await runSql(db, text, [...values, login.intervalSeconds])).length > 0;
}

/** Finds a login by the hash of its device code, and locks the row until the transaction ends. */
export async function lockLoginOfDevice(
  db: Database,
  deviceHash: Buffer,
): Promise<DeviceLogin | null> {
  const text = `select ${columns} from device_logins where device_hash = $1 for update`;
  const [row] = await runSql<DeviceLogin>(db, text, [deviceHash]);
  return row ?? null;
}

/**
 * Finds a login that waits for the user's decision, and locks the row until the transaction ends.
 */
export async function lockPendingLogin(
  db: Database,
  { userCode, now }: { readonly userCode: string; readonly now: Date },
): Promise<DeviceLogin | null> {
  const text = `select ${columns} from device_logins
    where user_code = $1 and status = 'PENDING' and expires_at > $2 for update`;
  const [row] = await runSql<DeviceLogin>(db, text, [userCode, now]);
  return row ?? null;
}

export async function recordPoll(
  db: Database,
  { id, at, intervalSeconds }: { id: string; at: Date; intervalSeconds: number },
): Promise<void> {
  const text = "update device_logins set polled_at = $2, interval_seconds = $3 where id = $1";
  await runSql(db, text, [id, at, intervalSeconds]);
}

export async function denyLogin(db: Database, id: string, userId: string | null): Promise<void> {
  const text = "update device_logins set status = 'DENIED', user_id = $2 where id = $1";
  await runSql(db, text, [id, userId]);
}

export async function approveLogin(
  db: Database,
  login: {
    readonly id: string;
    readonly userId: string;
    readonly keyId: string;
    readonly sealedKey: string;
  },
): Promise<void> {
  const text = `update device_logins
    set status = 'APPROVED', user_id = $2, key_id = $3, sealed_key = $4 where id = $1`;
  await runSql(db, text, [login.id, login.userId, login.keyId, login.sealedKey]);
}

/**
 * Returns the encrypted API key of an approved login and deletes the stored copy, so that the key
 * is returned only once. Returns `null` if the key was revoked.
 */
export async function takeSealedKey(db: Database, id: string): Promise<string | null> {
  const text = `with taken as (select id, sealed_key from device_logins
      where id = $1 and status = 'APPROVED' and key_id is not null)
    update device_logins l set status = 'USED', sealed_key = null from taken
    where l.id = taken.id returning taken.sealed_key as "sealedKey"`;
  const [row] = await runSql<{ sealedKey: string }>(db, text, [id]);
  return row?.sealedKey ?? null;
}

/** Deletes expired logins together with their temporary API keys. */
export async function deleteExpiredLogins(db: Database, now: Date): Promise<void> {
  const text = `with gone as (delete from device_logins where expires_at <= $1 returning key_id)
    delete from api_keys k using gone where k.id = gone.key_id and k.expires_at <= $1`;
  await runSql(db, text, [now]);
}
