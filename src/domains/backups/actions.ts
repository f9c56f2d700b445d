import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { type Caller, writeAuditEntry } from "../accounts/index.ts";
import {
  type Backup,
  type BackupSettings,
  type BackupStanding,
  findBackupProblem,
} from "./backup.ts";
import { listBackups, readStanding } from "./backup-store.ts";
import type { BackupKeeper } from "./keeper.ts";

/** Dependencies of this module's actions. */
export interface BackupsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly backups: BackupKeeper;
}

/** Only administrators may call this, because backups contain the whole installation. */
export async function describeBackups({ db, backups }: BackupsContext) {
  return {
    settings: backups.settings,
    problem: backups.findProblem(),
    backups: await listBackups(db),
  };
}

export async function requestBackup(context: BackupsContext, caller: Caller): Promise<Backup> {
  const backup = await context.backups.request();
  const at = context.clock.now();
  const note = { action: "backup.requested", changes: { file: backup.file } };
  await inTransaction(context.db, (db) =>
    writeAuditEntry(db, caller, { ...note, targetId: backup.id, at }),
  );
  return backup;
}

/** Reads the state of backups from the database, for callers outside a server. */
export async function readBackupStanding(
  db: Database,
  nowMs: number,
  settings: BackupSettings,
): Promise<{ readonly standing: BackupStanding; readonly problem: string | null }> {
  const standing = await readStanding(db);
  return { standing, problem: findBackupProblem(standing, settings, nowMs) };
}
