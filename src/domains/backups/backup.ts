/** One backup, made by any server. */
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
  /** `null` if this server makes no backups. */
  readonly folder: string | null;
  /** 0 for backups on request only. */
  readonly everyHours: number;
  readonly keep: number;
  /** 0 for never. */
  readonly verifyEveryHours: number;
}

export type BackupStatus = "RUNNING" | "VERIFYING" | "SUCCEEDED" | "FAILED";

export function statusOf({ writtenAt, finishedAt, problem }: Backup): BackupStatus {
  if (problem !== null) return "FAILED";
  if (finishedAt !== null) return "SUCCEEDED";
  return writtenAt === null ? "RUNNING" : "VERIFYING";
}

/** The newest backup of each outcome. */
export interface BackupStanding {
  /** The newest finished backup, successful or not. */
  readonly latest: Backup | null;
  readonly lastSuccess: Backup | null;
  readonly lastVerified: Backup | null;
}

const hourMs = 3_600_000;
/** A failed backup is retried after this delay instead of a whole period. */
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

/** Returns whether backups are late by more than half a period and more than an hour. */
export function isOffSchedule(
  lastSuccess: Backup | null,
  { folder, everyHours }: BackupSettings,
  nowMs: number,
): boolean {
  if (folder === null || everyHours === 0 || lastSuccess === null) return false;
  const ageMs = nowMs - lastSuccess.startedAt.getTime();
  return ageMs > Math.max(1.5 * everyHours, everyHours + 1) * hourMs;
}

/** Describes what is wrong with backups; `null` if nothing is, or if this server makes none. */
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

/** Returns this product's oldest files beyond the retention count. Other files are ignored. */
export function chooseOldFiles(names: readonly string[], keep: number): string[] {
  const own = names.filter((name) => pattern.test(name)).sort();
  return own.slice(0, Math.max(0, own.length - keep));
}
