import { type Database, runSql } from "../../platform/database.ts";
import type { Backup, BackupStanding } from "./backup.ts";

const columns = `id, server_id as "serverId", reason, file, started_at as "startedAt",
  written_at as "writtenAt", finished_at as "finishedAt", size_bytes as "sizeBytes",
  row_count as "rowCount", has_key as "hasKey", problem, verified_at as "verifiedAt",
  verify_problem as "verifyProblem", removed_at as "removedAt"`;

export const maxListed = 100;

/** Lists backups, newest first. */
export function listBackups(db: Database): Promise<Backup[]> {
  const text = `select ${columns} from backups order by started_at desc, id desc limit ${maxListed}`;
  return runSql<Backup>(db, text);
}

export async function readStanding(db: Database): Promise<BackupStanding> {
  const newest = async (condition: string) => {
    const text = `select ${columns} from backups where ${condition}
      order by started_at desc, id desc limit 1`;
    return (await runSql<Backup>(db, text))[0] ?? null;
  };
  return {
    latest: await newest("finished_at is not null"),
    lastSuccess: await newest("written_at is not null and problem is null"),
    lastVerified: await newest("verified_at is not null"),
  };
}

/** Returns `null` while another backup is in progress on any server. */
export async function claimBackup(
  db: Database,
  { id, serverId, reason, file, startedAt }: Backup,
): Promise<Backup | null> {
  const [claimed] = await runSql<Backup>(
    db,
    `insert into backups (id, server_id, reason, file, started_at, alive_at)
      values ($1, $2, $3, $4, $5, $5)
      on conflict ((true)) where finished_at is null do nothing returning ${columns}`,
    [id, serverId, reason, file, startedAt],
  );
  return claimed ?? null;
}

export async function recordAlive(db: Database, id: string, at: Date): Promise<void> {
  const text = "update backups set alive_at = $2 where id = $1 and finished_at is null";
  await runSql(db, text, [id, at]);
}

/** Closes backups of servers that have not reported progress since `before`. */
export async function closeAbandoned(db: Database, before: Date, now: Date): Promise<number> {
  const rows = await runSql(
    db,
    `update backups set finished_at = $2, problem = case when written_at is null
        then 'Not finished: its server stopped, or this database was restored from it.' end,
        verify_problem = case when written_at is not null
          then 'The server stopped during the verification.' end
      where finished_at is null and alive_at < $1 returning id`,
    [before, now],
  );
  return rows.length;
}

export async function recordWritten(
  db: Database,
  id: string,
  at: Date,
  written: { readonly sizeBytes: number; readonly rows: number; readonly hasKey: boolean },
): Promise<void> {
  await runSql(
    db,
    `update backups set written_at = $2, alive_at = $2, size_bytes = $3, row_count = $4,
      has_key = $5 where id = $1`,
    [id, at, written.sizeBytes, written.rows, written.hasKey],
  );
}

export interface BackupOutcome {
  readonly problem?: string;
  readonly verifiedAt?: Date;
  readonly verifyProblem?: string;
}

export async function finishBackup(
  db: Database,
  id: string,
  at: Date,
  { problem = "", verifiedAt, verifyProblem = "" }: BackupOutcome,
): Promise<void> {
  await runSql(
    db,
    `update backups set finished_at = $2, problem = nullif($3, ''), verified_at = $4,
      verify_problem = nullif($5, '') where id = $1 and finished_at is null`,
    [id, at, problem, verifiedAt ?? null, verifyProblem],
  );
}

export async function recordRemoved(
  db: Database,
  serverId: string,
  files: readonly string[],
  at: Date,
): Promise<void> {
  const text = `update backups set removed_at = $3
    where server_id = $1 and file = any($2) and removed_at is null`;
  await runSql(db, text, [serverId, files, at]);
}

export async function deleteOldRows(db: Database): Promise<void> {
  await runSql(
    db,
    `delete from backups where finished_at is not null and id not in
      (select id from backups order by started_at desc, id desc limit ${10 * maxListed})`,
  );
}
