import { type Database, lockName, runSql } from "../../platform/database.ts";

/** Limits per account. If a limit is exceeded, the oldest unused bundles are deleted. */
export const maxBundles = 50;
export const maxAccountBytes = 100 * 1024 * 1024;

export interface BundleFacts {
  /** Key of the bundle, which contains the SHA-256 of its content. */
  readonly key: string;
  readonly contentLength: number;
  readonly uploadedAt: Date;
}

export async function saveBundle(
  db: Database,
  accountId: string,
  bundle: { readonly key: string; readonly content: Buffer; readonly uploadedAt: Date },
): Promise<void> {
  await runSql(
    db,
    `insert into code_bundles (account_id, key, content, uploaded_at) values ($1, $2, $3, $4)
      on conflict (account_id, key) do update set uploaded_at = excluded.uploaded_at`,
    [accountId, bundle.key, bundle.content, bundle.uploadedAt],
  );
}

/**
 * Locks the bundles of an account until the transaction ends, so that uploads and changes of checks
 * that use bundles are executed one at a time.
 */
export function lockBundles(db: Database, accountId: string): Promise<void> {
  return lockName(db, `code bundles ${accountId}`);
}

/**
 * Returns those of the given keys that exist. Locks the account's bundles until the transaction
 * ends.
 */
export async function holdBundles(
  db: Database,
  accountId: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  await lockBundles(db, accountId);
  const rows = await runSql<{ key: string }>(
    db,
    "select key from code_bundles where account_id = $1 and key = any($2)",
    [accountId, keys],
  );
  return new Set(rows.map(({ key }) => key));
}

/**
 * Deletes the oldest bundles that exceed the account's limits, but none of the bundles in `kept`.
 * Returns the total size of the remaining bundles.
 */
export async function trimBundles(
  db: Database,
  accountId: string,
  kept: readonly string[],
): Promise<number> {
  const [row] = await runSql<{ bytes: number }>(
    db,
    `with ranked as (
      select key, octet_length(content) as size, key = any($2) as is_kept,
        row_number() over sorted as place, sum(octet_length(content)) over sorted as bytes
      from code_bundles where account_id = $1
      window sorted as (order by key = any($2) desc, uploaded_at desc, key)
    ), surplus as (
      delete from code_bundles where account_id = $1 and key in (
        select key from ranked where not is_kept and (place > $3 or bytes > $4))
      returning key
    ) select coalesce(sum(size), 0)::float8 as bytes from ranked
      where key not in (select key from surplus)`,
    [accountId, kept, maxBundles, maxAccountBytes],
  );
  return row?.bytes ?? 0;
}

export async function findBundleFacts(
  db: Database,
  accountId: string,
  key: string,
): Promise<BundleFacts | null> {
  const [row] = await runSql<BundleFacts>(
    db,
    `select key, octet_length(content) as "contentLength", uploaded_at as "uploadedAt"
      from code_bundles where account_id = $1 and key = $2`,
    [accountId, key],
  );
  return row ?? null;
}

export async function findBundleContent(
  db: Database,
  accountId: string,
  key: string,
): Promise<Buffer | null> {
  const [row] = await runSql<{ content: Buffer }>(
    db,
    "select content from code_bundles where account_id = $1 and key = $2",
    [accountId, key],
  );
  return row?.content ?? null;
}
