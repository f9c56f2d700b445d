import type { WebSocket } from "ws";
import { fullFrameBytes, maxOrdersInFrame } from "../../../contract/limits.ts";
import type { SignedOrder } from "../../../contract/order.ts";

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
