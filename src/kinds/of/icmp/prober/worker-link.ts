import { closeSync, writeSync } from "node:fs";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { addCounters, createCounters, type EngineCounters } from "./counters.ts";
import type { ProcessCookie } from "./packet.ts";
import type { FamilyFinding } from "./self-test.ts";
import type { RunOrder, SlotCounts } from "./slots.ts";
import { OrderList, readResults, type WireResult } from "./wire.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./worker.ts";

const FLUSH_INTERVAL_MS = 5;
/**
 * Number of orders after which a message is sent immediately, so that the worker starts these runs
 * while the main thread creates further orders.
 */
const MAX_UNFLUSHED_ORDERS = 512;
const BELL = new BigUint64Array([1n]);

export type StartWorker = (start: WorkerStart) => Worker;

interface LinkOptions {
  readonly cookie: ProcessCookie;
  readonly slotCounts: SlotCounts;
  readonly startWorker: StartWorker;
  readonly onResult: (result: WireResult) => void;
  readonly onFamilies: (families: readonly FamilyFinding[]) => void;
  /**
   * Called after the worker has exited and its descriptors are closed, even if the exit was not
   * requested.
   */
  readonly onExit: (reason: string) => void;
}

/** The main thread's handle of one worker thread, from its start to its exit. */
export class WorkerLink {
  arenaAddress: bigint | null;
  readonly #options: LinkOptions;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #stopFlag = new Int32Array(new SharedArrayBuffer(4));
  readonly #orders = new OrderList();
  readonly #exited: Promise<void>;
  #fds: readonly number[] = [];
  #bellFd = -1;
  #packedCounters: Float64Array = new Float64Array(0);
  #flushPlanned = false;
  #lastFlushMs = Number.NEGATIVE_INFINITY;
  #failure = "the worker ended";

  constructor(options: LinkOptions, formerArenaAddress: bigint | null) {
    this.#options = options;
    this.arenaAddress = formerArenaAddress;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const { cookie, slotCounts } = options;
    this.#worker = options.startWorker({
      port: port2,
      stopFlag: this.#stopFlag,
      cookie,
      slotCounts,
      formerArenaAddress,
    });
    port1.on("message", (message: unknown) => this.#take(asFromWorker(message)));
    this.#worker.on("error", (error: unknown) => {
      this.#failure = error instanceof Error ? error.message : String(error);
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#release();
        options.onExit(this.#failure);
        resolve();
      });
    });
  }

  submit(order: RunOrder): void {
    this.#orders.add(order);
    if (this.#orders.count >= MAX_UNFLUSHED_ORDERS) this.#flush();
    if (this.#flushPlanned) return;
    this.#flushPlanned = true;
    const waitMs = this.#lastFlushMs + FLUSH_INTERVAL_MS - performance.now();
    // The first order after a pause is posted immediately. In a stream of orders, one message
    // contains the orders of a few milliseconds.
    if (waitMs <= 0) setImmediate(() => this.#flushAsPlanned());
    else setTimeout(() => this.#flushAsPlanned(), waitMs);
  }

  /** Returns the counters that this worker last reported. */
  counters(): EngineCounters {
    return addCounters(createCounters(), this.#packedCounters);
  }

  retryFamilies(): void {
    this.#post({ kind: "retry-families" });
  }

  /**
   * Sets whether the message port to the worker keeps the process alive. The process has to stay
   * alive only while runs are open.
   */
  keepAlive(isNeeded: boolean): void {
    if (isNeeded) this.#port.ref();
    else this.#port.unref();
  }

  async stop(): Promise<void> {
    Atomics.store(this.#stopFlag, 0, 1);
    this.#worker.ref();
    this.#ringBell();
    await this.#exited;
  }

  #flushAsPlanned(): void {
    this.#flushPlanned = false;
    this.#flush();
  }

  #flush(): void {
    this.#lastFlushMs = performance.now();
    if (this.#orders.count > 0) this.#post(this.#orders.take());
  }

  #post(message: ToWorker): void {
    this.#port.postMessage(message);
    this.#ringBell();
  }

  #ringBell(): void {
    if (this.#bellFd >= 0) writeSync(this.#bellFd, BELL);
  }

  #take(message: FromWorker): void {
    if (message.kind === "results") {
      this.#packedCounters = message.counters;
      readResults(message.results, this.#options.onResult);
      return;
    }
    this.#fds = message.fds;
    this.#bellFd = message.bellFd;
    this.arenaAddress = message.arenaAddress;
    this.#options.onFamilies(message.families);
  }

  // Closes the worker's descriptors, which belong to the process and stay open after the exit.
  #release(): void {
    for (const fd of this.#fds) closeSync(fd);
    this.#fds = [];
    this.#bellFd = -1;
    this.#port.close();
  }
}

export function startWorkerThread(start: WorkerStart): Worker {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    name: "icmp",
    workerData: start,
    transferList: [start.port],
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // The young generation is small, because the worker allocates almost nothing and a larger heap
    // would never be released.
    resourceLimits: { maxYoungGenerationSizeMb: 3 },
  });
  worker.unref();
  return worker;
}

// The cast is sound because only the worker's code writes to the port.
function asFromWorker(message: unknown): FromWorker {
  return message as FromWorker;
}
