/**
 * Backups of a whole database. A backup is written from one snapshot while servers run, restored in
 * one transaction, and verified by a restore into a temporary database. `format` defines the file
 * format; `session` opens connections and lists the contents of a database.
 */
export {
  type BackupSummary,
  checkBackupFile,
  exists,
  openKey,
  type ReadProgress,
  unfinishedSuffix,
} from "./backup-file.ts";
export { checkRestorable, restoreBackup, verifyBackup } from "./restore-backup.ts";
export { CannotVerify, inScratchDatabase } from "./scratch-database.ts";
export { type BackupThread, startBackupThread } from "./thread.ts";
export { type WrittenBackup, writeBackup } from "./write-backup.ts";
