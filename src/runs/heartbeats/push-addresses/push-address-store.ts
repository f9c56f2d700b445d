import { createHash } from "node:crypto";
import { type Database, runPrepared, runSql } from "../../../platform/database.ts";

/** Formats of push addresses, named after the monitoring tool whose jobs use them. */
export const addressForms = ["uptime-kuma", "healthchecks", "healthchecks-slug", "gatus"] as const;
export type AddressForm = (typeof addressForms)[number];

/** A URL that jobs pinged at another monitor, accepted as an alias of a heartbeat check. */
export interface PushAddress {
  readonly id: string;
  readonly checkId: string;
  readonly form: AddressForm;
  /** Path of the address with a shortened secret, by which users recognise the address. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Minimum length of the secret in an address, because shorter secrets could be guessed. */
const minSecretLength = 10;
const maxSecretLength = 200;
const shownLength = 4;

/** Secret part of a push address. For Gatus, the secret is a token in addition to a public key. */
export interface AddressSecret {
  readonly form: AddressForm;
  readonly key: string;
  readonly token: string | null;
}

export function isStrongEnough({ key, token }: AddressSecret): boolean {
  const { length } = token ?? key;
  return length >= minSecretLength && length <= maxSecretLength;
}

/** Hashes the secret of an address. The database contains the hash instead of the secret. */
export function hashAddress({ form, key, token }: AddressSecret): Buffer {
  const secret = token === null ? key : `${key}\n${token}`;
  return createHash("sha256").update(`${form}\n${secret}`).digest();
}

/** Returns the path of an address with a shortened secret. */
export function describeAddress({ form, key }: AddressSecret): string {
  const shortened = `${key.slice(0, shownLength)}…`;
  if (form === "uptime-kuma") return `/api/push/${shortened}`;
  if (form === "gatus") return `/api/v1/endpoints/${key}/external`;
  if (form === "healthchecks-slug") return `/${shortened}/${key.split("/")[1]}`;
  return `/${shortened}`;
}

const columns = `id, check_id as "checkId", form, hint, created_at as "createdAt",
  last_used_at as "lastUsedAt"`;

type NewAddress = Omit<PushAddress, "lastUsedAt" | "createdAt"> & { readonly digest: Buffer };

/**
 * Inserts addresses, except those that any account already has. Returns the ids of the inserted
 * addresses.
 */
export async function insertPushAddresses(
  db: Database,
  accountId: string,
  { addresses, at }: { readonly addresses: readonly NewAddress[]; readonly at: Date },
): Promise<Set<string>> {
  const rows = await runSql<{ id: string }>(
    db,
    `insert into push_addresses (id, account_id, check_id, form, digest, hint, created_at)
      select id, $1, check_id, form, digest, hint, $2
      from unnest($3::uuid[], $4::uuid[], $5::text[], $6::bytea[], $7::text[])
        as one (id, check_id, form, digest, hint)
      on conflict do nothing returning id`,
    [
      ...[accountId, at],
      addresses.map(({ id }) => id),
      addresses.map(({ checkId }) => checkId),
      addresses.map(({ form }) => form),
      addresses.map(({ digest }) => digest),
      addresses.map(({ hint }) => hint),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Maps hashes of the account's addresses to check ids. */
export async function mapPushAddresses(
  db: Database,
  accountId: string,
  digests: readonly Buffer[],
): Promise<Map<string, string>> {
  const text = `select encode(digest, 'hex') as digest, check_id as "checkId" from push_addresses
    where account_id = $1 and digest = any($2::bytea[])`;
  const rows = await runSql<{ digest: string; checkId: string }>(db, text, [accountId, digests]);
  return new Map(rows.map(({ digest, checkId }) => [digest, checkId]));
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

/** Finds the check of an address, and records the use of the address at most once per minute. */
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
