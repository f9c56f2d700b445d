import { fullFrameBytes, maxResultsInFrame } from "../contract/protocol.ts";
import type { SignedResult } from "../contract/result.ts";
import type { Log } from "../platform/log.ts";
import type { Spool } from "./spool.ts";

/** Sends a batch to the server; returns false if the probe is not connected. */
type SendBatch = (batch: number, results: readonly SignedResult[]) => boolean;

interface OutboxOptions {
  readonly spool: Spool;
  readonly send: SendBatch;
  readonly log: Log;
}

/** Number of unacknowledged results at which the outbox starts to write new results to disk. */
const maxUnacknowledged = 5_000;
/** Maximum number of results that are held in memory while they cannot be written to disk. */
const maxStranded = 20_000;
const spoolAgainMs = 1_000;

/** Splits results into batches. Each batch fits in one frame, and is as large as possible. */
function splitResults(results: readonly SignedResult[]): SignedResult[][] {
  const batches: SignedResult[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const result of results) {
    const size = JSON.stringify(result).length;
    const last = batches.at(-1);
    if (last !== undefined && last.length < maxResultsInFrame && bytes + size <= fullFrameBytes) {
      last.push(result);
      bytes += size;
    } else {
      batches.push([result]);
      bytes = size;
    }
  }
  return batches;
}

/**
 * Holds results until the server has recorded them. While the connection is up, results are sent
 * immediately. If the connection is down or the server is slow, results are written to disk and
 * later sent from disk in order.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  /** Unacknowledged batches that were sent from memory, by batch number. */
  readonly #unacknowledged = new Map<number, readonly SignedResult[]>();
  /** The batch that was sent from disk and is not acknowledged yet; `null` if there is none. */
  #fromDisk: { readonly batch: number; readonly settled: (isRecorded: boolean) => void } | null =
    null;
  #stranded: SignedResult[] = [];
  #isUp = false;
  #isReplaying = false;
  #batch = 0;
  #writing: Promise<void> = Promise.resolve();
  #onChange = () => {};

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Number of results that the server has not acknowledged. */
  get size(): number {
    const sent = [...this.#unacknowledged.values()].reduce((sum, { length }) => sum + length, 0);
    return sent + this.#options.spool.depth + this.#stranded.length;
  }

  add(results: readonly SignedResult[]): void {
    for (const batch of splitResults(results)) {
      const isDirect = this.#isUp && !this.#isReplaying && this.size < maxUnacknowledged;
      if (!isDirect || !this.#sendFromMemory(batch)) this.#store(batch);
    }
  }

  connect(): void {
    this.#isUp = true;
    void this.#replay();
  }

  disconnect(): void {
    this.#isUp = false;
    this.#fromDisk?.settled(false);
    const lost = [...this.#unacknowledged.values()];
    this.#unacknowledged.clear();
    for (const batch of lost) this.#store(batch);
  }

  acknowledge(batch: number): void {
    if (this.#fromDisk?.batch === batch) this.#fromDisk.settled(true);
    this.#unacknowledged.delete(batch);
    this.#onChange();
  }

  /** Waits until the server has recorded all results, or until the timeout. */
  async settle(timeoutMs: number): Promise<void> {
    const endsAtMs = performance.now() + timeoutMs;
    while (this.size > 0) {
      const leftMs = endsAtMs - performance.now();
      if (leftMs <= 0) return;
      await new Promise<void>((resume) => {
        const timer = setTimeout(resume, Math.min(leftMs, 100));
        this.#onChange = () => {
          clearTimeout(timer);
          resume();
        };
      });
    }
  }

  /** Writes all results in memory to disk and closes the files. */
  async close(): Promise<void> {
    this.disconnect();
    await this.#writing;
    await this.#options.spool.close();
  }

  #sendFromMemory(results: readonly SignedResult[]): boolean {
    this.#batch += 1;
    if (!this.#options.send(this.#batch, results)) return false;
    this.#unacknowledged.set(this.#batch, results);
    return true;
  }

  /**
   * Queues results to be written to disk. They count as unacknowledged immediately, and are written
   * in the order in which they were received.
   */
  #store(results: readonly SignedResult[]): void {
    this.#stranded.push(...results);
    this.#writing = this.#writing.then(() => this.#write());
    // Send these results from disk too, so that they do not overtake older results.
    void this.#replay();
  }

  async #write(): Promise<void> {
    while (this.#stranded.length > 0) {
      const [batch = []] = splitResults(this.#stranded.slice(0, maxResultsInFrame));
      try {
        await this.#options.spool.append(batch);
        this.#stranded.splice(0, batch.length);
      } catch (error) {
        this.#options.log.error({ err: error }, "failed to write results to disk");
        const excess = this.#stranded.length - maxStranded;
        if (excess > 0) {
          this.#stranded.splice(0, excess);
          this.#options.spool.noteDropped(excess);
        }
        setTimeout(() => {
          this.#writing = this.#writing.then(() => this.#write());
        }, spoolAgainMs).unref();
        return;
      }
    }
  }

  async #replay(): Promise<void> {
    if (this.#isReplaying || !this.#isUp) return;
    if (this.#stranded.length === 0 && this.#options.spool.depth === 0) return;
    this.#isReplaying = true;
    try {
      await this.#sendFromDisk();
    } catch (error) {
      this.#options.log.error({ err: error }, "failed to send spooled results");
    } finally {
      this.#isReplaying = false;
      this.#onChange();
    }
  }

  async #sendFromDisk(): Promise<void> {
    while (this.#isUp) {
      await this.#writing;
      const segment = await this.#options.spool.readOldest();
      if (segment === null && this.#stranded.length === 0) return;
      if (segment === null) {
        await new Promise((resume) => setTimeout(resume, spoolAgainMs).unref());
        continue;
      }
      this.#batch += 1;
      const batch = this.#batch;
      const isRecorded = await new Promise<boolean>((settled) => {
        this.#fromDisk = { batch, settled };
        if (!this.#isUp || !this.#options.send(batch, segment.results)) settled(false);
      });
      this.#fromDisk = null;
      if (!isRecorded) return;
      await this.#options.spool.remove(segment);
      this.#onChange();
    }
  }
}
