import { inTransaction } from "../../platform/database.ts";
import { type Caller, writeAuditEntry } from "../accounts/index.ts";
import type { Backup } from "./backup.ts";
import { listBackups } from "./backup-store.ts";
import type { BackupsContext } from "./context.ts";

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
