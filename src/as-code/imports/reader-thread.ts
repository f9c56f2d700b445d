import { Worker } from "node:worker_threads";
import { readCode } from "../../platform/errors.ts";
import type { ReadAnswer, ReadTask } from "./reader-thread-body.ts";
import { type Reading, UnreadableFile } from "./reading.ts";

const maxReadMs = 120_000;
const maxMemoryMb = 1_024;
/**
 * How long an idle worker thread is kept for the next file. Starting a thread takes longer than
 * reading most files, because the thread must load its code.
 */
const idleMs = 30_000;

let idle: Worker | null = null;

function startWorker(): Worker {
  const worker = new Worker(new URL("./reader-thread-body.ts", import.meta.url), {
    name: "import",
    execArgv: ["--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  return worker;
}

function takeWorker(): Worker {
  const worker = idle ?? startWorker();
  idle = null;
  worker.removeAllListeners();
  worker.ref();
  return worker;
}

/** Keeps an idle worker thread for the next file. The thread does not keep the process alive. */
function releaseWorker(worker: Worker): void {
  worker.removeAllListeners();
  const forget = () => {
    if (idle === worker) idle = null;
  };
  worker.on("error", forget).on("exit", forget);
  if (idle !== null) {
    void worker.terminate();
    return;
  }
  idle = worker;
  worker.unref();
  setTimeout(() => {
    if (idle !== worker) return;
    // Clear `idle` before terminating, because another file may arrive while the thread is still
    // ending.
    idle = null;
    void worker.terminate();
  }, idleMs).unref();
}

function explain(error: Error): Error {
  if (readCode(error) !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  return new UnreadableFile(`The file needs more than ${maxMemoryMb} MiB of memory to read.`);
}

/**
 * Reads files in a worker thread with memory and time limits. The files are untrusted, and reading
 * a large database on the main thread would delay scheduled runs.
 */
export async function readInThread(task: ReadTask, limitMs = maxReadMs): Promise<Reading> {
  const worker = takeWorker();
  const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer>();
  const timer = setTimeout(() => {
    reject(new UnreadableFile(`The file takes longer than ${limitMs / 1_000} s to read.`));
  }, limitMs);
  worker.once("message", resolve);
  worker.once("error", (error: Error) => reject(explain(error)));
  worker.once("exit", () => reject(new Error("the import thread exited without an answer")));
  try {
    worker.postMessage(task);
    const answer = await promise;
    releaseWorker(worker);
    if (answer.kind === "read") return answer.reading;
    throw new UnreadableFile(answer.reason);
  } catch (error) {
    if (idle !== worker) await worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
