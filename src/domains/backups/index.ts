/**
 * Scheduled backups made by the servers. A *backup* is a file in `BACKUP_DIR` of one server and a
 * row with its outcome; *verifying* restores it into a scratch database and compares the data.
 * `platform/backup` reads and writes the files.
 * Tables: backups.
 */
export { type BackupsContext, readBackupStanding } from "./actions.ts";
export { type BackupSettings, type BackupStanding, isOffSchedule } from "./backup.ts";
export { BackupKeeper } from "./keeper.ts";
export { addBackupMetrics } from "./metrics.ts";
export { addBackupRoutes } from "./routes.ts";
