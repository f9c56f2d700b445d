import { createHash } from "node:crypto";
import { type Database, runPrepared, runSql } from "../../../platform/database.ts";

/** Forms of addresses, by the tool whose jobs use them. */
export const addressForms = ["uptime-kuma", "healthchecks", "gatus"] as const;
export type AddressForm = (typeof addressForms)[number];

/** An address that jobs pinged at another monitor: an alias of a heartbeat check. */
export interface PushAddress {
  readonly id: string;
  readonly checkId: string;
  readonly form: AddressForm;
  /** The beginning of the address, to recognise it. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Shorter secrets could be guessed. */
const minSecretLength = 10;
const maxSecretLength = 200;
const shownLength = 4;

/** The secret part of an old address; Gatus sends a token beside a public key. */
export interface AddressSecret {
  readonly form: AddressForm;
  readonly key: string;
  readonly token: string | null;
}

export function isStrongEnough({ key, token }: AddressSecret): boolean {
  const { length } = token ?? key;
  return length >= minSecretLength && length <= maxSecretLength;
}

/** Only this hash is stored. */
export function hashAddress({ form, key, token }: AddressSecret): Buffer {
  const secret = token === null ? key : `${key}\n${token}`;
  return createHash("sha256").update(`${form}\n${secret}`).digest();
}

/** Shows the path with the secret shortened. */
export function describeAddress({ form, key }: AddressSecret): string {
  const shortened = `${key.slice(0, shownLength)}…`;
  if (form === "uptime-kuma") return `/api/push/${shortened}`;
  if (form === "gatus") return `/api/v1/endpoints/${key}/external`;
  return `/${shortened}`;
}

const columns = `id, check_id as "checkId", form, hint, created_at as "createdAt",
  last_used_at as "lastUsedAt"`;

/** Returns false if the address is in use, by this or another account. */
export async function insertPushAddress(
  db: Database,
  accountId: string,
  address: Omit<PushAddress, "lastUsedAt"> & { readonly digest: Buffer },
): Promise<boolean> {
  const { id, checkId, form, digest, hint, createdAt } = address;
  const rows = await runSql<{ id: string }>(
    db,
    `insert into push_addresses (id, account_id, check_id, form, digest, hint, created_at)
      values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
    [id, accountId, checkId, form, digest, hint, createdAt],
  );
  return rows.length > 0;
}

/** Whether the account's check already has the address. */
export async function hasPushAddress(
  db: Database,
  accountId: string,
  { checkId, digest }: { readonly checkId: string; readonly digest: Buffer },
): Promise<boolean> {
  const text = `select 1 as found from push_addresses
    where account_id = $1 and check_id = $2 and digest = $3`;
  return (await runSql(db, text, [accountId, checkId, digest])).length > 0;
}

export function listPushAddresses(db: Database, accountId: string): Promise<PushAddress[]> {
  const text = `select ${columns} from push_addresses where account_id = $1
    order by created_at desc, id limit 10000`;
  return runSql(db, text, [accountId]);
}

export async function deletePushAddress(
  db: Database,
  accountId: string,
  id: string,
): Promise<PushAddress | null> {
  const text = `delete from push_addresses where account_id = $1 and id = $2 returning ${columns}`;
  const [row] = await runSql<PushAddress>(db, text, [accountId, id]);
  return row ?? null;
}

/** Finds the check of an address and notes its use, at most once a minute. */
export async function findCheckByToken(
  db: Database,
  address: { readonly form: string; readonly digest: Buffer; readonly at: Date },
): Promise<string | null> {
  const [row] = await runPrepared<{ id: string; checkId: string; isStale: boolean }>(db, {
    name: "find-check-by-push-address",
    text: `select id, check_id as "checkId",
        coalesce(last_used_at < $3::timestamptz - interval '1 minute', true) as "isStale"
      from push_addresses where form = $1 and digest = $2`,
    values: [address.form, address.digest, address.at],
  });
  if (row === undefined) return null;
  if (row.isStale) {
    const text = "update push_addresses set last_used_at = $2 where id = $1";
    await runSql(db, text, [row.id, address.at]);
  }
  return row.checkId;
}
