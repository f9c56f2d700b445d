import { type Database, runPrepared, runSql } from "../../../platform/database.ts";
import type { PushAddress } from "./push-address.ts";

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
