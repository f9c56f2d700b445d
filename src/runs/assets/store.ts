import type { AssetType } from "../../contract/run-asset.ts";
import { type Database, runSql } from "../../platform/database.ts";

export interface StoredAsset {
  readonly id: string;
  readonly accountId: string;
  /** Check of the run; `null` if the settings of the run are not saved as a check. */
  readonly checkId: string | null;
  readonly runId: string;
  readonly type: AssetType;
  readonly name: string;
  readonly contentType: string;
  readonly byteCount: number;
  /** Path of the file, relative to the folder or the bucket. */
  readonly path: string;
  /** Server whose disk contains the file; `null` if the file is in the shared object storage. */
  readonly serverId: string | null;
  readonly createdAt: Date;
}

const columns = `id, account_id as "accountId", check_id as "checkId", run_id as "runId", type, name,
  content_type as "contentType", byte_count as "byteCount", path, server_id as "serverId",
  created_at as "createdAt"`;

const written = `id, account_id, check_id, run_id, type, name, content_type, byte_count, path,
  server_id, created_at`;

/** Inserts incomplete rows for files that are not written yet. */
export async function insertAssets(
  db: Database,
  accountId: string,
  assets: readonly StoredAsset[],
): Promise<void> {
  const rows = assets.map((asset) => ({
    ...{ id: asset.id, account_id: accountId, check_id: asset.checkId, run_id: asset.runId },
    ...{ type: asset.type, name: asset.name, content_type: asset.contentType, path: asset.path },
    ...{ byte_count: asset.byteCount, server_id: asset.serverId, created_at: asset.createdAt },
  }));
  await runSql(
    db,
    `insert into run_assets (${written}) select ${written}
      from jsonb_populate_recordset(null::run_assets, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

export async function completeAssets(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  await runSql(
    db,
    "update run_assets set is_complete = true where account_id = $1 and id = any($2::uuid[])",
    [accountId, ids],
  );
}

export async function deleteRunAssets(
  db: Database,
  accountId: string,
  runId: string,
): Promise<void> {
  await runSql(db, "delete from run_assets where account_id = $1 and run_id = $2", [
    accountId,
    runId,
  ]);
}

/** Reason why a file was deleted before the result of its run. */
export type LossReason = "quota" | "expired";

/**
 * Returns an SQL statement that records how many files each run lost. The statement must follow a
 * `with` clause that provides the deleted rows as `gone`. `reason` is a query parameter such as
 * `$2`.
 */
export const writeLosses = (reason: string) => `insert into lost_assets
  (account_id, run_id, reason, file_count, created_at)
  select account_id, run_id, ${reason}, count(*), min(created_at) from gone
  group by account_id, run_id
  on conflict (run_id, account_id, reason) do update
    set file_count = lost_assets.file_count + excluded.file_count
  returning file_count as count`;

const sum = (rows: readonly { readonly count: number }[]) =>
  rows.reduce((total, { count }) => total + count, 0);

/**
 * Deletes the files of the oldest runs until the account is within its limits. Returns the number
 * of deleted files. A run loses either all its files or none.
 */
export async function trimAssets(
  db: Database,
  accountId: string,
  { maxBytes, maxFiles }: { readonly maxBytes: number; readonly maxFiles: number },
): Promise<number> {
  const rows = await runSql<{ count: number }>(
    db,
    `with gone as (delete from run_assets where account_id = $1 and run_id in (
      select run_id from (
        select run_id, row_number() over sorted as place, sum(byte_count) over sorted as bytes
        from run_assets where account_id = $1
        window sorted as (order by created_at desc, id desc)
      ) as ranked where bytes > $2 or place > $3) returning account_id, run_id, created_at)
    ${writeLosses("$4")}`,
    [accountId, maxBytes, maxFiles, "quota" satisfies LossReason],
  );
  return sum(rows);
}

interface Loss {
  readonly reason: LossReason;
  readonly fileCount: number;
}

export function listLosses(db: Database, accountId: string, runId: string): Promise<Loss[]> {
  return runSql(
    db,
    `select reason, file_count as "fileCount" from lost_assets
      where account_id = $1 and run_id = $2 order by reason`,
    [accountId, runId],
  );
}

/** Lists the complete files of a run in the order of their creation. */
export function listRunAssets(
  db: Database,
  accountId: string,
  { runId, checkId }: { readonly runId: string; readonly checkId: string | null },
): Promise<StoredAsset[]> {
  return runSql(
    db,
    `select ${columns} from run_assets where account_id = $1 and run_id = $2 and is_complete
      and ($3::uuid is null or check_id = $3) order by id`,
    [accountId, runId, checkId],
  );
}

/** Finds a complete file by id in any account. The caller must have verified a signed link. */
export async function findAssetByToken(db: Database, id: string): Promise<StoredAsset | null> {
  const text = `select ${columns} from run_assets where id = $1 and is_complete`;
  const [row] = await runSql<StoredAsset>(db, text, [id]);
  return row ?? null;
}
