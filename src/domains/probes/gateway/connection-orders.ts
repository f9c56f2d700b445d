import type { WebSocket } from "ws";
import type { SignedOrder } from "../../../contract/order.ts";
import { fullFrameBytes, maxOrdersInFrame } from "../../../contract/protocol.ts";

interface OpenOrder {
  readonly order: SignedOrder;
  readonly settled: PromiseWithResolvers<void>;
}

/** Time after the deadline in which a result may still arrive. */
const graceMs = 5_000;

/** Orders sent to one probe that have no result yet. */
export class OpenOrders {
  readonly #byRun = new Map<string, OpenOrder>();

  get size(): number {
    return this.#byRun.size;
  }

  find(runId: string): SignedOrder | null {
    return this.#byRun.get(runId)?.order ?? null;
  }

  /**
   * `settled` resolves when a result arrived or the order expired, and rejects when the probe
   * disconnects.
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

  /** Settles expired orders. They are recorded as unanswered and are not sent to another probe. */
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

/** Above this number of buffered bytes, orders wait in memory. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** Sends orders in few frames and applies backpressure of the socket. */
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
