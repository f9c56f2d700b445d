import { Worker } from "node:worker_threads";
import type { AssertionResult } from "./assertion.ts";
import type { EvaluationAnswer, EvaluationJob } from "./evaluation-thread-worker.ts";

/** A round-robin queue: each round serves one job of every owner with waiting jobs. */
export class FairQueue<Job> {
  readonly #maxPerOwner: number;
  /** Waiting jobs by owner. The owner to serve next comes first. */
  readonly #waiting = new Map<string, Job[]>();

  constructor(maxPerOwner: number) {
    this.#maxPerOwner = maxPerOwner;
  }

  /** Adds a job, or returns false if its owner already has too many waiting jobs. */
  add(owner: string, job: Job): boolean {
    const jobs = this.#waiting.get(owner);
    if (jobs === undefined) this.#waiting.set(owner, [job]);
    else if (jobs.length >= this.#maxPerOwner) return false;
    else jobs.push(job);
    return true;
  }

  take(): Job | undefined {
    const [turn] = this.#waiting;
    if (turn === undefined) return undefined;
    const [owner, jobs] = turn;
    const job = jobs.shift();
    this.#waiting.delete(owner);
    // Re-inserting the owner moves it to the end of the round.
    if (jobs.length > 0) this.#waiting.set(owner, jobs);
    return job;
  }
}

/**
 * Maximum number of waiting jobs per account. A job may take 0.5 s, so more jobs would miss their
 * deadlines.
 */
const maxWaitingPerAccount = 100;

interface OpenJob extends EvaluationJob {
  readonly resolve: (results: readonly AssertionResult[] | null) => void;
  readonly reject: (bug: Error) => void;
}

const worker = new URL("./evaluation-thread-worker.ts", import.meta.url);

/**
 * Evaluates expensive assertions in a separate thread, so that the measuring thread does not wait
 * for them. Accounts are served round-robin, one run each, so that a busy account does not delay
 * the others.
 *
 * The first job starts the thread. If the thread has died, the next job starts a new one.
 */
export class EvaluationThread {
  readonly #queue = new FairQueue<OpenJob>(maxWaitingPerAccount);
  #thread: Worker | null = null;
  #current: OpenJob | null = null;

  /** Resolves to `null` if the account has too many waiting jobs or if the thread ends. */
  evaluate(account: string, job: EvaluationJob): Promise<readonly AssertionResult[] | null> {
    return new Promise((resolve, reject) => {
      if (this.#queue.add(account, { ...job, resolve, reject })) this.#startNext();
      else resolve(null);
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #startNext(): void {
    if (this.#current !== null) return;
    const next = this.#queue.take();
    if (next === undefined) {
      // The thread is unreferenced while idle, so that it does not keep the process alive.
      this.#thread?.unref();
      return;
    }
    this.#current = next;
    this.#thread ??= this.#startThread();
    this.#thread.ref();
    const { module, assertions, document } = next;
    this.#thread.postMessage({ module, assertions, document } satisfies EvaluationJob);
  }

  #startThread(): Worker {
    const thread = new Worker(worker, {
      name: "assertions",
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    thread.on("message", ({ results, failure }: EvaluationAnswer) => {
      if (failure === undefined) this.#finish((job) => job.resolve(results));
      else this.#finish((job) => job.reject(new Error(failure)));
    });
    // A thread that runs out of memory exits. Its current job then ends without results.
    thread.on("error", () => {});
    thread.on("exit", () => {
      if (this.#thread === thread) this.#thread = null;
      this.#finish((job) => job.resolve(null));
    });
    return thread;
  }

  #finish(end: (job: OpenJob) => void): void {
    const job = this.#current;
    this.#current = null;
    if (job !== null) end(job);
    this.#startNext();
  }
}
