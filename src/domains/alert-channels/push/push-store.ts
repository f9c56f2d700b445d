import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { Encryption } from "../../../platform/encryption.ts";
import { memberRows } from "../../accounts/index.ts";
import { createVapidKeys, type PushTarget, type VapidKeys } from "./web-push.ts";

/** One browser of one person that receives an account's alerts. */
export interface PushDevice {
  readonly id: string;
  readonly name: string;
  /** Host of the push service, for display. */
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

const columns = sql`id, name, host, created_at as "createdAt", last_sent_at as "lastSentAt"`;

/** Creates the keys on first use. If servers start concurrently, the first stored keys win. */
export async function loadVapidKeys(
  db: Database,
  encryption: Encryption,
): Promise<VapidKeys | null> {
  const read = () =>
    sql<{ publicKey: string; sealed: string }>`
      select public_key as "publicKey", private_key as sealed from push_keys`.execute(db);
  let [row] = (await read()).rows;
  if (row === undefined) {
    const { publicKey, privateKey } = createVapidKeys();
    const sealed = encryption.encrypt(privateKey);
    await sql`insert into push_keys (public_key, private_key) values (${publicKey}, ${sealed})
      on conflict do nothing`.execute(db);
    [row] = (await read()).rows;
  }
  const privateKey = row === undefined ? null : encryption.tryDecrypt(row.sealed);
  return row === undefined || privateKey === null ? null : { publicKey: row.publicKey, privateKey };
}

export async function listDevices(
  db: Database,
  { accountId, userId }: Owner,
): Promise<PushDevice[]> {
  const { rows } = await sql<PushDevice>`select ${columns} from push_subscriptions
    where account_id = ${accountId} and user_id = ${userId} order by created_at, id`.execute(db);
  return rows;
}

/** Updates the existing device if the browser subscribes again. */
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
  const { rows } = await sql<PushDevice>`
    insert into push_subscriptions (id, account_id, user_id, endpoint_hash, sealed, host, name,
      created_at)
    values (${device.id}, ${accountId}, ${userId}, ${hash}, ${device.sealed}, ${host},
      ${device.name}, ${device.at})
    on conflict (account_id, endpoint_hash) do update set user_id = excluded.user_id,
      sealed = excluded.sealed, name = excluded.name
    returning ${columns}`.execute(db);
  const [saved] = rows;
  if (saved === undefined) throw new Error("could not store the push device");
  return saved;
}

export async function deleteDevice(
  db: Database,
  { accountId, userId }: Owner,
  id: string,
): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`delete from push_subscriptions
    where id = ${id} and account_id = ${accountId} and user_id = ${userId}
    returning name`.execute(db);
  return rows[0]?.name ?? null;
}

const maxNotified = 200;

/** Lists the devices of all members, or of the member with this email address. */
export async function listTargets(
  db: Database,
  accountId: string,
  email: string | null,
): Promise<SealedDevice[]> {
  const { rows } = await sql<SealedDevice>`select p.id, p.sealed from push_subscriptions p
    join ${sql.raw(memberRows)} m on m.account_id = p.account_id and m.user_id = p.user_id
    where p.account_id = ${accountId}
      and (${email}::text is null or lower(m.email) = lower(${email}))
    order by p.created_at, p.id limit ${maxNotified}`.execute(db);
  return rows;
}

/** Deletes devices whose push service reported that the subscription has ended. */
export async function deleteDevices(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from push_subscriptions where id = any(${ids}::uuid[])`.execute(db);
}

export async function noteSent(db: Database, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql`update push_subscriptions set last_sent_at = ${at}
    where id = any(${ids}::uuid[])`.execute(db);
}

/** Lists encrypted values of the newest devices and of the keys. */
export async function listSealedInPush(db: Database, maxDevices: number): Promise<string[]> {
  const { rows } = await sql<{ sealed: string }>`
    (select sealed from push_subscriptions order by created_at desc limit ${maxDevices})
    union all (select private_key from push_keys)`.execute(db);
  return rows.map((row) => row.sealed);
}
