// Entry point of the evaluation thread, which evaluates the assertions of one run at a time.
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type Assertion, type AssertionResult, maxCpuMs } from "./assertion.ts";

export interface EvaluationJob {
  /** URL of a module that exports an `evaluate` function for the assertion sources of a kind. */
  readonly module: string;
  readonly assertions: readonly Assertion[];
  readonly document: unknown;
}

/** The function `evaluate` that the module of a job exports. */
export type Evaluate = (
  assertions: readonly Assertion[],
  document: unknown,
  isOverTime: () => boolean,
) => readonly AssertionResult[];

/** Reply to a job. `failure` is set and `results` is empty if an unexpected exception occurred. */
export interface EvaluationAnswer {
  readonly results: readonly AssertionResult[];
  readonly failure?: string;
}

const port = parentPort;
if (port === null) throw new Error("This module runs in a worker thread only.");

/** Lowers the priority of this thread below the threads that schedule runs and measure times. */
function lowerPriority(): void {
  try {
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, 10);
  } catch {
    // The lower priority is optional, because not all platforms support a priority per thread.
  }
}

/**
 * Returns the CPU time of this thread alone. The work of other threads does not count against the
 * time limit.
 */
function readCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function evaluateJob(job: EvaluationJob): Promise<EvaluationAnswer> {
  try {
    const { evaluate }: { evaluate: Evaluate } = await import(job.module);
    const startedMs = readCpuMs();
    const isOverTime = () => readCpuMs() - startedMs > maxCpuMs;
    return { results: evaluate(job.assertions, job.document, isOverTime) };
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { results: [], failure };
  }
}

lowerPriority();
port.on("message", async (job: EvaluationJob) => {
  port.postMessage(await evaluateJob(job));
});
