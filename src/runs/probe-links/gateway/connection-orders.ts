import type { WebSocket } from "ws";
import type { SignedOrder } from "../../../contract/order.ts";
import { fullFrameBytes, maxOrdersInFrame } from "../../../contract/protocol.ts";
import type { LinkMeter } from "./link-limits.ts";

interface FrameIntakeOptions {
  readonly socket: Pick<WebSocket, "pause" | "resume">;
  readonly meter: LinkMeter;
  readonly onFrame: (text: string) => void;
}

/**
 * Processes the frames of a connection in order, within the limits of its key. While a frame waits,
 * the server does not read from the socket, so that further data stays on the probe.
 */
export class FrameIntake {
  readonly #options: FrameIntakeOptions;
  readonly #waiting: string[] = [];
  #isBusy = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FrameIntakeOptions) {
    this.#options = options;
  }

  receive(text: string): void {
    this.#waiting.push(text);
    if (!this.#isBusy) void this.#process();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
  }

  /** Processes the waiting frames. Runs synchronously until a frame must wait. */
  async #process(): Promise<void> {
    const { meter, onFrame } = this.#options;
    this.#isBusy = true;
    for (;;) {
      const text = this.#waiting.shift();
      if (text === undefined || this.#isClosed) break;
      const waitMs = meter.charge({ bytes: text.length, results: 0 });
      if (waitMs > 0 || !meter.hasCapacity) await this.#waitFor(waitMs);
      if (!this.#isClosed) onFrame(text);
    }
    this.#isBusy = false;
  }

  async #waitFor(waitMs: number): Promise<void> {
    const { socket, meter } = this.#options;
    socket.pause();
    await new Promise<void>((resume) => {
      this.#timer = setTimeout(resume, Math.ceil(waitMs));
    });
    await meter.waitForCapacity();
    meter.restartFrame();
    socket.resume();
  }
}

interface OpenOrder {
  readonly order: SignedOrder;
  readonly settled: PromiseWithResolvers<void>;
}

/** Additional time for the result of an order after its deadline. */
const graceMs = 5_000;

/** Orders that were sent to one probe and have no result yet. */
export class OpenOrders {
  readonly #byRun = new Map<string, OpenOrder>();

  get size(): number {
    return this.#byRun.size;
  }

  find(runId: string): SignedOrder | null {
    return this.#byRun.get(runId)?.order ?? null;
  }

  /**
   * Adds an order. `settled` resolves when the result arrives or the order expires, and rejects
   * when the probe disconnects.
   */
  add(order: SignedOrder): { readonly isNew: boolean; readonly settled: Promise<void> } {
    const existing = this.#byRun.get(order.runId);
    if (existing !== undefined) return { isNew: false, settled: existing.settled.promise };
    const settled = Promise.withResolvers<void>();
    this.#byRun.set(order.runId, { order, settled });
    return { isNew: true, settled: settled.promise };
  }

  settle(runId: string): void {
    this.#byRun.get(runId)?.settled.resolve();
    this.#byRun.delete(runId);
  }

  /**
   * Settles expired orders and returns their number. Expired orders are not sent to another probe,
   * and their runs are recorded as unanswered.
   */
  settleOverdue(nowMs: number): number {
    let count = 0;
    for (const [runId, { order }] of this.#byRun) {
      if (nowMs <= order.deadlineAtMs + graceMs) continue;
      this.settle(runId);
      count += 1;
    }
    return count;
  }

  giveBack(reason: Error): void {
    for (const { settled } of this.#byRun.values()) settled.reject(reason);
    this.#byRun.clear();
  }
}

/** Maximum number of bytes in the socket's send buffer. Above this limit, orders wait in memory. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** Sends orders to a probe, several per frame. Waits while the socket's send buffer is full. */
export class OrderSender {
  readonly #socket: Pick<WebSocket, "send" | "bufferedAmount">;
  #waiting: SignedOrder[] = [];
  #isPlanned = false;

  constructor(socket: Pick<WebSocket, "send" | "bufferedAmount">) {
    this.#socket = socket;
  }

  add(order: SignedOrder): void {
    this.#waiting.push(order);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#waiting.length > 0 && this.#socket.bufferedAmount < maxBufferedBytes) {
      const texts: string[] = [];
      let bytes = 0;
      for (const order of this.#waiting.slice(0, maxOrdersInFrame)) {
        const text = JSON.stringify(order);
        bytes += Buffer.byteLength(text);
        if (bytes > fullFrameBytes && texts.length > 0) break;
        texts.push(text);
      }
      this.#waiting = this.#waiting.slice(texts.length);
      const frame = `{"type":"orders","orders":[${texts.join(",")}]}`;
      this.#socket.send(frame, () => this.#flush());
    }
  }
}
