/** Queries of the loops that delete files of all accounts. */
import { type Database, runSql } from "../../platform/database.ts";
import { type LossReason, writeLosses } from "./store.ts";

/** Deletes rows of expired files and returns their number. */
export async function deleteAssetsBefore(db: Database, expired: Date): Promise<number> {
  const rows = await runSql<{ count: number }>(
    db,
    `with gone as (delete from run_assets where created_at < $1 and is_complete
      returning account_id, run_id, created_at) ${writeLosses("$2")}`,
    [expired, "expired" satisfies LossReason],
  );
  return rows.reduce((total, { count }) => total + count, 0);
}

/** Deletes rows of files that were never written completely. */
export async function deleteAbandonedBefore(db: Database, abandoned: Date): Promise<void> {
  await runSql(db, "delete from run_assets where not is_complete and created_at < $1", [abandoned]);
}

/** Deletes records of lost files after the results of their runs have been deleted. */
export async function deleteLossesBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from lost_assets where created_at < $1", [before]);
}

/** Lists files to delete from a server's disk, or from the object storage if the id is `null`. */
export async function listRemovals(db: Database, serverId: string | null): Promise<string[]> {
  const rows = await runSql<{ path: string }>(
    db,
    "select path from asset_removals where server_id is not distinct from $1 limit 500",
    [serverId],
  );
  return rows.map(({ path }) => path);
}

export async function deleteRemovals(db: Database, paths: readonly string[]): Promise<void> {
  await runSql(db, "delete from asset_removals where path = any($1::text[])", [paths]);
}

/** Deletes removal requests that are so old that their server probably no longer exists. */
export async function deleteRemovalsBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from asset_removals where removed_at < $1", [before]);
}

/** Returns those of the given file paths of a run that have a row in the database. */
export async function listKnownPaths(
  db: Database,
  serverId: string,
  { runId, paths }: { readonly runId: string; readonly paths: readonly string[] },
): Promise<Set<string>> {
  const rows = await runSql<{ path: string }>(
    db,
    `select path from run_assets where server_id = $1 and run_id = $2 and path = any($3::text[])`,
    [serverId, runId, paths],
  );
  return new Set(rows.map(({ path }) => path));
}

/** Lists complete files on a server's disk, after the given id, to compare rows with the disk. */
export function listOnDisk(
  db: Database,
  serverId: string,
  afterId: string | null,
): Promise<{ readonly id: string; readonly path: string }[]> {
  return runSql(
    db,
    `select id, path from run_assets where server_id = $1 and is_complete
      and ($2::uuid is null or id > $2) order by id limit 500`,
    [serverId, afterId],
  );
}

export async function deleteMissingAssets(db: Database, ids: readonly string[]): Promise<void> {
  await runSql(db, "delete from run_assets where id = any($1::uuid[])", [ids]);
}
