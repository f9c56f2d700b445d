/**
 * Backups of a whole database: written from one snapshot beside running servers, restored in one
 * transaction, verified by restoring into a scratch database. `format` is the file, `catalogue`
 * what a database has, `session` the connection that all of them use.
 */
export {
  type BackupSummary,
  checkBackupFile,
  exists,
  type ReadProgress,
  unfinishedSuffix,
} from "./backup-file.ts";
export { checkRestorable, restoreBackup } from "./restore-backup.ts";
export { CannotVerify, inScratchDatabase } from "./scratch-database.ts";
export { openKey } from "./sealed-key.ts";
export { type BackupThread, startBackupThread } from "./thread.ts";
export { verifyBackup } from "./verify-backup.ts";
export { type BackupProgress, type WrittenBackup, writeBackup } from "./write-backup.ts";
