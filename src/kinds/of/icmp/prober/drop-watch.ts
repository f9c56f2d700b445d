import type { EngineCounters } from "./counters.ts";
import { SENT, type Slots } from "./slots.ts";
import type { EchoSocket, SocketOpener } from "./socket.ts";

const CHECK_INTERVAL_MS = 1000;
const FRESH_ENOUGH_MS = 10;

/** Detects overflows of local receive queues, so that they are not reported as packet loss. */
export class DropWatch {
  readonly #opener: Pick<SocketOpener, "readDrops">;
  readonly #slots: Slots;
  readonly #counters: EngineCounters;
  #sockets: readonly EchoSocket[] = [];
  #lastCheckMs = Number.NEGATIVE_INFINITY;

  constructor(opener: Pick<SocketOpener, "readDrops">, slots: Slots, counters: EngineCounters) {
    this.#opener = opener;
    this.#slots = slots;
    this.#counters = counters;
  }

  useSockets(sockets: readonly EchoSocket[]): void {
    this.#sockets = sockets;
  }

  checkPeriodically(nowMs: number): void {
    if (nowMs - this.#lastCheckMs >= CHECK_INTERVAL_MS) this.#check(nowMs);
  }

  /** Returns whether a local receive queue may have dropped a reply that this run is missing. */
  mayHaveDropped(slot: number, nowMs: number): boolean {
    if (nowMs - this.#lastCheckMs >= FRESH_ENOUGH_MS) this.#check(nowMs);
    const slots = this.#slots;
    const first = slots.firstPacket(slot);
    const end = first + (slots.packetCount[slot] ?? 0);
    for (let packet = first; packet < end; packet += 1) {
      if (slots.status[packet] !== SENT) continue;
      const socket = this.#sockets[slots.socketIndex[packet] ?? 0];
      const sentMs = slots.sentMonotonicMs[packet] ?? 0;
      if (socket !== undefined && socket.lastDropSeenMs >= sentMs) return true;
    }
    return false;
  }

  // A drop is detected by any change of the drop count. The amount does not matter, because the
  // kernel may count a drop twice on raw sockets.
  #check(nowMs: number): void {
    this.#lastCheckMs = nowMs;
    for (const socket of this.#sockets) {
      const drops = this.#opener.readDrops(socket);
      if (drops === socket.dropCount) continue;
      this.#counters.localDrops += (drops - socket.dropCount) >>> 0;
      socket.dropCount = drops;
      socket.lastDropSeenMs = nowMs;
    }
  }
}
