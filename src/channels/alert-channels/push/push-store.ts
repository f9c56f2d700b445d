import { createHash } from "node:crypto";
import { type Database, runSql } from "../../../platform/database.ts";
import type { Encryption } from "../../../platform/encryption.ts";
import { createVapidKeys, type PushTarget, type VapidKeys } from "./web-push.ts";

/** A member's browser that receives push messages about the alerts of an account. */
export interface PushDevice {
  readonly id: string;
  readonly name: string;
  /** Host name of the push service, for display. */
  readonly host: string;
  readonly createdAt: Date;
  readonly lastSentAt: Date | null;
}

export interface SealedDevice {
  readonly id: string;
  readonly sealed: string;
}

interface Owner {
  readonly accountId: string;
  readonly userId: string;
}

const columns = `id, name, host, created_at as "createdAt", last_sent_at as "lastSentAt"`;

/**
 * Returns the VAPID keys of the installation, and creates them on first use. If several servers
 * create keys at the same time, the keys that were stored first are used. Returns `null` if the
 * private key cannot be decrypted.
 */
export async function loadVapidKeys(
  db: Database,
  encryption: Encryption,
): Promise<VapidKeys | null> {
  const read = () =>
    runSql<{ publicKey: string; sealed: string }>(
      db,
      `select public_key as "publicKey", private_key as sealed from push_keys`,
    );
  let [row] = await read();
  if (row === undefined) {
    const { publicKey, privateKey } = createVapidKeys();
    const sealed = encryption.encrypt(privateKey);
    await runSql(
      db,
      "insert into push_keys (public_key, private_key) values ($1, $2) on conflict do nothing",
      [publicKey, sealed],
    );
    [row] = await read();
  }
  const privateKey = row === undefined ? null : encryption.tryDecrypt(row.sealed);
  return row === undefined || privateKey === null ? null : { publicKey: row.publicKey, privateKey };
}

export async function listDevices(
  db: Database,
  { accountId, userId }: Owner,
): Promise<PushDevice[]> {
  return runSql<PushDevice>(
    db,
    `select ${columns} from push_subscriptions
      where account_id = $1 and user_id = $2 order by created_at, id`,
    [accountId, userId],
  );
}

/** Stores a push device. If the browser subscribes again, the existing device is updated. */
export async function saveDevice(
  db: Database,
  { accountId, userId }: Owner,
  device: {
    readonly id: string;
    readonly name: string;
    readonly target: PushTarget;
    readonly sealed: string;
    readonly at: Date;
  },
): Promise<PushDevice> {
  const { endpoint } = device.target;
  const hash = createHash("sha256").update(endpoint).digest();
  const { host } = new URL(endpoint);
  const [saved] = await runSql<PushDevice>(
    db,
    `insert into push_subscriptions (id, account_id, user_id, endpoint_hash, sealed, host, name,
        created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (account_id, endpoint_hash) do update set user_id = excluded.user_id,
        sealed = excluded.sealed, name = excluded.name returning ${columns}`,
    [device.id, accountId, userId, hash, device.sealed, host, device.name, device.at],
  );
  if (saved === undefined) throw new Error("could not store the push device");
  return saved;
}

export async function deleteDevice(
  db: Database,
  { accountId, userId }: Owner,
  id: string,
): Promise<string | null> {
  const rows = await runSql<{ name: string }>(
    db,
    `delete from push_subscriptions
      where id = $1 and account_id = $2 and user_id = $3 returning name`,
    [id, accountId, userId],
  );
  return rows[0]?.name ?? null;
}

const maxNotified = 200;

/**
 * Lists the push devices of all members, or of the member with the given email address. At most 200
 * devices, oldest first.
 */
export async function listTargets(
  db: Database,
  accountId: string,
  email: string | null,
): Promise<SealedDevice[]> {
  return runSql<SealedDevice>(
    db,
    `select p.id, p.sealed from push_subscriptions p
      join account_members m on m.account_id = p.account_id and m.user_id = p.user_id
      where p.account_id = $1 and ($2::text is null or lower(m.email) = lower($2))
      order by p.created_at, p.id limit $3`,
    [accountId, email, maxNotified],
  );
}

/** Deletes devices after the push service reported that their subscriptions have ended. */
export async function deleteDevices(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await runSql(db, "delete from push_subscriptions where id = any($1::uuid[])", [ids]);
}

export async function noteSent(db: Database, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await runSql(db, "update push_subscriptions set last_sent_at = $1 where id = any($2::uuid[])", [
    at,
    ids,
  ]);
}

/** Lists the encrypted subscriptions of the newest devices and the encrypted VAPID key. */
export async function listSealedInPush(db: Database, maxDevices: number): Promise<string[]> {
  const rows = await runSql<{ sealed: string }>(
    db,
    `(select sealed from push_subscriptions order by created_at desc limit $1)
      union all (select private_key from push_keys)`,
    [maxDevices],
  );
  return rows.map((row) => row.sealed);
}
