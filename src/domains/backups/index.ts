/**
 * Copies of everything, made by the servers themselves. A *backup* is a file in `BACKUP_DIR` of one
 * server and a row that says how it went; *verifying* restores it into a scratch database and
 * compares. The files themselves are the business of `platform/backup`.
 * Tables: backups.
 */
export { type BackupSettings, type BackupStanding, isOffSchedule } from "./backup.ts";
export type { BackupsContext } from "./context.ts";
export { BackupKeeper } from "./keeper.ts";
export { addBackupMetrics } from "./metrics.ts";
export { addBackupRoutes } from "./routes.ts";
export { readBackupStanding } from "./standing.ts";
