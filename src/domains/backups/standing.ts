import type { Database } from "../../platform/database.ts";
import { type BackupSettings, type BackupStanding, findBackupProblem } from "./backup.ts";
import { readStanding } from "./backup-store.ts";

/** Reads the state of backups from the database, for callers outside a server. */
export async function readBackupStanding(
  db: Database,
  nowMs: number,
  settings: BackupSettings,
): Promise<{ readonly standing: BackupStanding; readonly problem: string | null }> {
  const standing = await readStanding(db);
  return { standing, problem: findBackupProblem(standing, settings, nowMs) };
}
