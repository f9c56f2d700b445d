/** The body of a thread that makes and verifies backups. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { ExplainedError } from "../explained-error.ts";
import { CannotVerify, inScratchDatabase } from "./scratch-database.ts";
import type { BackupAnswer, BackupTask } from "./thread-task.ts";
import { verifyBackup } from "./verify-backup.ts";
import { writeBackup } from "./write-backup.ts";

/** On Linux a priority belongs to the thread that sets it: checks come first. */
function giveWay(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, 10);
  } catch {
    // Where the system does not let us, the backup is as important as everything else.
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

giveWay();
parentPort?.on("message", async (message: BackupTask) => {
  parentPort?.postMessage(await perform(message).catch(describe));
});
