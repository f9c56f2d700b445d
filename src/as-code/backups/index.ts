/**
 * Backups made by the servers, on schedule or on request. A *backup* is a file in `BACKUP_DIR` of
 * one server, and a row with its outcome. *Verifying* a backup restores the file into a scratch
 * database and compares the data. `platform/backup` reads and writes the files. Tables: backups.
 */

export {
  type BackupSettings,
  type BackupStanding,
  decideBackupSettings,
} from "./backup-store.ts";
export { addBackupRoutes, type BackupsContext, readBackupStanding } from "./backups.ts";
export { addBackupMetrics, BackupKeeper } from "./keeper.ts";
