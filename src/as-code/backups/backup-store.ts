import { join, resolve } from "node:path";
import { type Database, runSql } from "../../platform/database.ts";

/** A backup made by any server. */
export interface Backup {
  readonly id: string;
  readonly serverId: string;
  readonly reason: "SCHEDULE" | "REQUEST";
  readonly file: string;
  readonly startedAt: Date;
  readonly writtenAt: Date | null;
  readonly finishedAt: Date | null;
  readonly sizeBytes: number | null;
  readonly rowCount: number | null;
  readonly hasKey: boolean | null;
  readonly problem: string | null;
  readonly verifiedAt: Date | null;
  readonly verifyProblem: string | null;
  readonly removedAt: Date | null;
}

export interface BackupSettings {
  /** Folder for backups; `null` if this server makes no backups. */
  readonly folder: string | null;
  /**
   * Whether the folder is the default one, on the disk of the database. The backups then use at
   * most a tenth of the disk, and leave a tenth of it free.
   */
  readonly isBesideDatabase: boolean;
  /** Hours between backups; 0 if backups are made only on request. */
  readonly everyHours: number;
  readonly keep: number;
  /** Hours between verifications; 0 if backups are never verified. */
  readonly verifyEveryHours: number;
}

interface BackupConfig {
  readonly BACKUP_DIR: string | undefined;
  readonly BACKUP_EVERY_HOURS: number;
  readonly BACKUP_KEEP: number;
  readonly BACKUP_VERIFY_EVERY_HOURS: number;
  readonly DATABASE_URL: string | undefined;
  readonly DATA_DIR: string;
}

/** Returns the settings of backups. The embedded database is backed up by default. */
export function decideBackupSettings(config: BackupConfig): BackupSettings {
  const { BACKUP_DIR, DATABASE_URL } = config;
  const isBesideDatabase = BACKUP_DIR === undefined && DATABASE_URL === undefined;
  return {
    folder: isBesideDatabase ? join(resolve(config.DATA_DIR), "backups") : (BACKUP_DIR ?? null),
    isBesideDatabase,
    everyHours: config.BACKUP_EVERY_HOURS,
    keep: config.BACKUP_KEEP,
    verifyEveryHours: config.BACKUP_VERIFY_EVERY_HOURS,
  };
}

type BackupStatus = "RUNNING" | "VERIFYING" | "SUCCEEDED" | "FAILED";

export function statusOf({ writtenAt, finishedAt, problem }: Backup): BackupStatus {
  if (problem !== null) return "FAILED";
  if (finishedAt !== null) return "SUCCEEDED";
  return writtenAt === null ? "RUNNING" : "VERIFYING";
}

/**
 * The newest finished backup, the newest successful backup and the newest verified backup. They may
 * be three different backups.
 */
export interface BackupStanding {
  /** The newest finished backup, successful or not. */
  readonly latest: Backup | null;
  readonly lastSuccess: Backup | null;
  readonly lastVerified: Backup | null;
}

const hourMs = 3_600_000;
/** Delay before a failed backup is retried, unless the normal interval is shorter. */
const retryMs = 900_000;

export function isBackupDue(
  { latest, lastSuccess }: BackupStanding,
  { folder, everyHours }: BackupSettings,
  nowMs: number,
): boolean {
  if (folder === null || everyHours === 0) return false;
  const everyMs = everyHours * hourMs;
  if (lastSuccess !== null && nowMs - lastSuccess.startedAt.getTime() < everyMs) return false;
  if (latest === null || latest.problem === null) return true;
  return nowMs - latest.startedAt.getTime() >= Math.min(everyMs, retryMs);
}

export function isVerifyDue(
  { lastVerified }: BackupStanding,
  { verifyEveryHours }: BackupSettings,
  nowMs: number,
): boolean {
  if (verifyEveryHours === 0) return false;
  const atMs = lastVerified?.verifiedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  return nowMs - atMs >= verifyEveryHours * hourMs;
}

/**
 * Whether the next successful backup is overdue by more than half an interval and by more than an
 * hour.
 */
export function isOffSchedule(
  lastSuccess: Backup | null,
  { folder, everyHours }: BackupSettings,
  nowMs: number,
): boolean {
  if (folder === null || everyHours === 0 || lastSuccess === null) return false;
  const ageMs = nowMs - lastSuccess.startedAt.getTime();
  return ageMs > Math.max(1.5 * everyHours, everyHours + 1) * hourMs;
}

/**
 * Describes the current problem with backups; `null` if there is none. A late backup counts only if
 * this server makes scheduled backups.
 */
export function findBackupProblem(
  standing: BackupStanding,
  settings: BackupSettings,
  nowMs: number,
): string | null {
  const { latest, lastSuccess } = standing;
  if (latest?.problem != null) return `The last backup failed: ${latest.problem}`;
  if (isOffSchedule(lastSuccess, settings, nowMs)) {
    const hours = Math.floor((nowMs - (lastSuccess?.startedAt.getTime() ?? 0)) / hourMs);
    return `The last backup is ${hours} hours old, and one is due every ${settings.everyHours}.`;
  }
  if (lastSuccess?.verifyProblem != null) {
    return `The last backup could not be verified: ${lastSuccess.verifyProblem}`;
  }
  return null;
}

const pattern = /^vedette-\d{8}T\d{6}Z-[0-9a-f]{8}\.backup$/;

export function nameFile(at: Date, id: string): string {
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `vedette-${time}-${id.slice(-8)}.backup`;
}

interface StoredFile {
  readonly name: string;
  readonly sizeBytes: number;
}

/**
 * Returns the backup files to delete: all except the newest `keep` files that together have at most
 * `maxBytes`. Ignores other files.
 */
export function chooseOldFiles(
  files: readonly StoredFile[],
  { keep, maxBytes }: { readonly keep: number; readonly maxBytes: number },
): string[] {
  const newestFirst = files
    .filter(({ name }) => pattern.test(name))
    .sort((one, other) => (one.name < other.name ? 1 : -1));
  let bytes = 0;
  const firstOld = newestFirst.findIndex(({ sizeBytes }, at) => {
    bytes += sizeBytes;
    return at >= keep || bytes > maxBytes;
  });
  return firstOld === -1
    ? []
    : newestFirst
        .slice(firstOld)
        .map(({ name }) => name)
        .reverse();
}

const columns = `id, server_id as "serverId", reason, file, started_at as "startedAt",
  written_at as "writtenAt", finished_at as "finishedAt", size_bytes as "sizeBytes",
  row_count as "rowCount", has_key as "hasKey", problem, verified_at as "verifiedAt",
  verify_problem as "verifyProblem", removed_at as "removedAt"`;

const maxListed = 100;

/** Lists the newest backups, newest first. */
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

/** Inserts a row for a new backup. Returns `null` if a backup is in progress on any server. */
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

/** Ends backups whose server has reported no progress since `before`, and records a problem. */
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

interface BackupOutcome {
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
