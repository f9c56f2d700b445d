// Entry point of the worker thread. The thread does not return to the event loop until it is
// stopped.
import { type MessagePort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openLibc } from "../../../wire/kernel/libc.ts";
import { packCounters } from "./counters.ts";
import { EchoLoop } from "./echo-loop.ts";
import type { ProcessCookie } from "./packet.ts";
import { type FamilyFinding, openBestSockets } from "./self-test.ts";
import type { SlotCounts } from "./slots.ts";
import { readOrders } from "./wire.ts";

/** Data that the main thread passes to a new worker. */
export interface WorkerStart {
  readonly port: MessagePort;
  /** Memory shared with the engine. The worker stops when the first element is not zero. */
  readonly stopFlag: Int32Array<SharedArrayBuffer>;
  readonly cookie: ProcessCookie;
  readonly slotCounts: SlotCounts;
  /**
   * Address of the memory of the previous worker, for reuse by this worker; `null` for the first
   * worker.
   */
  readonly formerArenaAddress: bigint | null;
}

/**
 * A message to the worker: packed run requests, or a request to retry the IP families that failed.
 */
export type ToWorker = Uint32Array | { readonly kind: "retry-families" };

export type FromWorker =
  | {
      readonly kind: "families";
      readonly families: readonly FamilyFinding[];
      /** All descriptors that the main thread must close after the worker has exited. */
      readonly fds: readonly number[];
      readonly bellFd: number;
      readonly arenaAddress: bigint;
    }
  | {
      readonly kind: "results";
      readonly results: Float64Array;
      readonly counters: Float64Array;
    };

const ARENA_BYTES = 512 * 1024;
const POST_INTERVAL_MS = 10;
const COUNTERS_INTERVAL_MS = 1000;

function main(start: WorkerStart): void {
  const libc = openLibc(ARENA_BYTES, start.formerArenaAddress);
  const baseSeconds = Math.floor(Date.now() / 1000) - 1;
  const { cookie, slotCounts } = start;
  const loop = new EchoLoop({ libc, cookie, slotCounts, baseSeconds });
  const outbox = new Outbox(start.port, loop);
  const families = openFamilies(loop, outbox, null);
  const announce = () =>
    outbox.post({
      kind: "families",
      families,
      fds: [loop.bellFd, ...loop.socketFds],
      bellFd: loop.bellFd,
      arenaAddress: libc.arena.address,
    });
  announce();
  // Messages are read before the first wait. The self-test also waits for the bell and may have
  // consumed the signal for a message.
  let bellRang = true;
  while (Atomics.load(start.stopFlag, 0) === 0) {
    if (bellRang && takeMessages(start.port, loop)) {
      families.splice(0, families.length, ...openFamilies(loop, outbox, families));
      announce();
      continue;
    }
    outbox.postIfDue();
    bellRang = loop.turn(outbox.nextPostMs()).bellRang;
  }
  start.port.close();
}

/**
 * Opens the sockets of each IP family that has none yet, and tests them. `known` contains the
 * results of the previous attempt; `null` when the worker starts.
 */
function openFamilies(
  loop: EchoLoop,
  outbox: Outbox,
  known: readonly FamilyFinding[] | null,
): FamilyFinding[] {
  return (["IPv4", "IPv6"] as const).map((family) => {
    const former = known?.find((finding) => finding.family === family);
    if (former !== undefined && former.kind !== null) return former;
    return openBestSockets(loop, family, (results) => outbox.postResults(results));
  });
}

/**
 * Submits all waiting run requests. Returns whether the main thread requested a retry for failed IP
 * families.
 */
function takeMessages(port: MessagePort, loop: EchoLoop): boolean {
  let isRetryRequested = false;
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (received === undefined) return isRetryRequested;
    const message = asToWorker(received.message);
    if (message instanceof Uint32Array) readOrders(message, (order) => loop.submit(order));
    else isRetryRequested = true;
  }
}

/** Posts results at most every few milliseconds, because each post wakes the main thread. */
class Outbox {
  readonly #port: MessagePort;
  readonly #loop: EchoLoop;
  #lastPostMs = 0;
  #lastCounterSum = 0;

  constructor(port: MessagePort, loop: EchoLoop) {
    this.#port = port;
    this.#loop = loop;
  }

  nextPostMs(): number {
    const intervalMs = this.#loop.results.isEmpty ? COUNTERS_INTERVAL_MS : POST_INTERVAL_MS;
    return this.#lastPostMs + intervalMs;
  }

  postIfDue(): void {
    const nowMs = performance.now();
    if (nowMs < this.nextPostMs()) return;
    if (this.#loop.results.isEmpty && !this.#countersChanged()) this.#lastPostMs = nowMs;
    else this.postResults(this.#loop.results.take());
  }

  /**
   * Returns whether a counter other than `polls` changed since the last call. An idle engine must
   * not wake the main thread.
   */
  #countersChanged(): boolean {
    const { polls, ...counted } = this.#loop.counters;
    const sum = Object.values(counted).reduce((total, value) => total + value, 0);
    const changed = sum !== this.#lastCounterSum;
    this.#lastCounterSum = sum;
    return changed;
  }

  postResults(results: Float64Array<ArrayBuffer>): void {
    this.#lastPostMs = performance.now();
    const counters = packCounters(this.#loop.counters);
    this.post({ kind: "results", results, counters }, [results.buffer]);
  }

  post(message: FromWorker, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}

// The cast is sound because only the main thread's code writes to the port.
function asToWorker(message: unknown): ToWorker {
  return message as ToWorker;
}

// The cast is sound because only the main thread's code starts this file.
function asWorkerStart(data: unknown): WorkerStart {
  return data as WorkerStart;
}

main(asWorkerStart(workerData));
