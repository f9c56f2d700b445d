// Entry point of the evaluation thread, which evaluates the assertions of one run at a time.
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type Assertion, type AssertionResult, maxCpuMs } from "./assertion.ts";

/** A job of the evaluation thread. */
export interface EvaluationJob {
  /** Path of the module that exports `evaluate` for the sources of a kind. */
  readonly module: string;
  readonly assertions: readonly Assertion[];
  readonly document: unknown;
}

/** The function that such a module exports. */
export type Evaluate = (
  assertions: readonly Assertion[],
  document: unknown,
  isOverTime: () => boolean,
) => readonly AssertionResult[];

/** `failure` is set if an unexpected exception occurred; `results` is empty then. */
export interface EvaluationAnswer {
  readonly results: readonly AssertionResult[];
  readonly failure?: string;
}

const port = parentPort;
if (port === null) throw new Error("This module runs in a worker thread only.");

/** Lowers the priority of this thread below those that schedule and measure. */
function lowerPriority(): void {
  try {
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, 10);
  } catch {
    // Not all platforms support a priority per thread.
  }
}

/** Counts the CPU time of this thread only, so that other load does not reduce the budget. */
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
