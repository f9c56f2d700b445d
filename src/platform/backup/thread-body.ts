/** Code that runs in the backup thread, which writes and verifies backups. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { DatabaseConnection } from "../database-pool.ts";
import { ExplainedError } from "../errors.ts";
import { verifyBackup } from "./restore-backup.ts";
import { CannotVerify, inScratchDatabase } from "./scratch-database.ts";
import { type BackupOptions, type WrittenBackup, writeBackup } from "./write-backup.ts";

/** Tasks that a server sends to its backup thread, and the responses of the thread. */
export type WriteTask = Omit<BackupOptions, "onProgress" | "signal">;

export interface VerifyTask {
  readonly connection: DatabaseConnection;
  readonly dataDir: string | null;
  readonly path: string;
}

export type BackupTask =
  | { readonly kind: "write"; readonly task: WriteTask }
  | { readonly kind: "verify"; readonly task: VerifyTask };

export type BackupAnswer =
  | { readonly written: WrittenBackup | null }
  | { readonly fault: string; readonly kind: "explained" | "cannot-verify" | "bug" };

/** Lowers the CPU priority of this thread, so that checks run first. */
function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, 10);
  } catch {
    // Without permission to change the priority, backups run with the normal priority.
  }
}

async function perform(message: BackupTask): Promise<BackupAnswer> {
  if (message.kind === "write") return { written: await writeBackup(message.task) };
  const { connection, dataDir, path } = message.task;
  await inScratchDatabase(connection, dataDir, (scratch) => verifyBackup(scratch, { path }));
  return { written: null };
}

function describe(error: unknown): BackupAnswer {
  const fault = error instanceof Error ? error.message : String(error);
  if (error instanceof CannotVerify) return { fault, kind: "cannot-verify" };
  return { fault, kind: error instanceof ExplainedError ? "explained" : "bug" };
}

lowerPriority();
parentPort?.on("message", async (message: BackupTask) => {
  parentPort?.postMessage(await perform(message).catch(describe));
});
