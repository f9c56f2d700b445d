import { Worker } from "node:worker_threads";
import { ExplainedError } from "../errors.ts";
import { CannotVerify } from "./scratch-database.ts";
import type { BackupAnswer, BackupTask, VerifyTask, WriteTask } from "./thread-body.ts";
import type { WrittenBackup } from "./write-backup.ts";

export interface BackupThread {
  readonly write: (task: WriteTask) => Promise<WrittenBackup>;
  readonly verify: (task: VerifyTask) => Promise<void>;
  readonly stop: () => Promise<void>;
}

function toError({ fault, kind }: Extract<BackupAnswer, { fault: string }>): Error {
  if (kind === "cannot-verify") return new CannotVerify(fault);
  return kind === "explained" ? new ExplainedError(fault) : new Error(fault);
}

/**
 * Starts a thread that runs one backup task at a time. Compression and hashing would delay the
 * schedule in the main thread, and a separate thread has its own memory limit.
 */
export function startBackupThread(): BackupThread {
  const worker = new Worker(new URL("./thread-body.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const ask = (message: BackupTask): Promise<WrittenBackup | null> => {
    const { promise, resolve, reject } = Promise.withResolvers<WrittenBackup | null>();
    worker.once("message", (answer: BackupAnswer) => {
      if ("fault" in answer) reject(toError(answer));
      else resolve(answer.written);
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the backup thread exited")));
    worker.postMessage(message);
    return promise;
  };
  return {
    write: async (task) => {
      const written = await ask({ kind: "write", task });
      if (written === null) throw new Error("the backup thread returned no result");
      return written;
    },
    verify: async (task) => {
      await ask({ kind: "verify", task });
    },
    stop: async () => {
      await worker.terminate();
    },
  };
}
