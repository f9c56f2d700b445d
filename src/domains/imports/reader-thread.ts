import { Worker } from "node:worker_threads";
import { readCode } from "../../platform/errors.ts";
import type { ReadAnswer, ReadTask } from "./read-task.ts";
import { type Reading, UnreadableFile } from "./reading.ts";

const maxReadMs = 120_000;
const maxMemoryMb = 1_024;

function explain(error: Error): Error {
  if (readCode(error) !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  return new UnreadableFile(`The file needs more than ${maxMemoryMb} MiB of memory to read.`);
}

/**
 * Reads files in a separate thread with limits of memory and time: they come from outside, and
 * reading a large database must not delay the schedule.
 */
export function readInThread(task: ReadTask, limitMs = maxReadMs): Promise<Reading> {
  const { promise, resolve, reject } = Promise.withResolvers<Reading>();
  const worker = new Worker(new URL("./reader-thread-body.ts", import.meta.url), {
    name: "import",
    workerData: task,
    execArgv: ["--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  const timer = setTimeout(() => {
    reject(new UnreadableFile(`The file takes longer than ${limitMs / 1_000} s to read.`));
  }, limitMs);
  worker.once("message", (answer: ReadAnswer) => {
    if (answer.kind === "read") resolve(answer.reading);
    else reject(new UnreadableFile(answer.reason));
  });
  worker.once("error", (error: Error) => reject(explain(error)));
  worker.once("exit", () => reject(new Error("the import thread exited without an answer")));
  return promise.finally(async () => {
    clearTimeout(timer);
    await worker.terminate();
  });
}
