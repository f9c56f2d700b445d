import { type Database, runSql } from "../../platform/database.ts";

/** Limits per account; bundles that were uploaded first are deleted first. */
export const maxBundles = 50;
export const maxAccountBytes = 100 * 1024 * 1024;

export interface BundleFacts {
  /** Contains the SHA-256 of the content. */
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

/** Deletes bundles beyond the limits, but never the one that was just uploaded. */
export async function trimBundles(db: Database, accountId: string, newest: string): Promise<void> {
  await runSql(
    db,
    `delete from code_bundles where account_id = $1 and key in (
      select key from (
        select key, row_number() over sorted as place,
          sum(octet_length(content)) over sorted as bytes
        from code_bundles where account_id = $1
        window sorted as (order by key = $2 desc, uploaded_at desc, key)
      ) as ranked where place > $3 or bytes > $4)`,
    [accountId, newest, maxBundles, maxAccountBytes],
  );
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
