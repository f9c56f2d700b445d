import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type AddressKey, addressKey } from "../ip-address.ts";

export interface ConnectionLimits {
  /** Maximum number of connections per IPv4 address or IPv6 /64; 0 for no limit. */
  readonly perAddress: number;
  readonly total: number;
  /** Time without activity after which a connection with an incomplete response is closed. */
  readonly silenceMs: number;
  /** Time without a request after which a connection is closed. */
  readonly idleMs: number;
  readonly checkEveryMs: number;
  /**
   * Whether an address is exempt from the limit per address. Trusted proxies and this machine are
   * exempt.
   */
  readonly isExempt: (address: string) => boolean;
}

const connection = Symbol("connection");

/**
 * State of a connection. Every request updates it, so it is stored on the socket for fast access.
 */
interface Connection {
  readonly groups: readonly Group[];
  newestAnswer: ServerResponse | null;
  /** Sequence number of the last request of the connection. All connections share one sequence. */
  turn: number;
  /** Value of `turn` at the last poll for idle connections. */
  seenTurn: number;
  /** Number of consecutive polls without a new request. */
  quietPolls: number;
}

interface CountedSocket extends Socket {
  [connection]?: Connection;
}

function isIdle({ newestAnswer }: Connection): boolean {
  return newestAnswer === null || newestAnswer.writableFinished;
}

/** Open connections of one address, or all open connections of the server. */
type Group = Set<CountedSocket>;

/**
 * Prevents one client from using all connections. If the limit of an address or of the server is
 * reached, the connection that has been idle longest is closed to make room for the new one. If no
 * connection is idle, the new connection is closed.
 */
class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  readonly #all: Group = new Set();
  readonly #byAddress = new Map<AddressKey, Group>();
  #turn = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(socket: CountedSocket): void {
    const { perAddress, total, isExempt } = this.#limits;
    const address = socket.remoteAddress ?? "";
    const isCounted = perAddress > 0 && !isExempt(address);
    const key = addressKey(address);
    const own = isCounted ? (this.#byAddress.get(key) ?? new Set<CountedSocket>()) : null;
    const isFull = own !== null && own.size >= perAddress && !this.#closeOneOf(own);
    if (isFull || (this.#all.size >= total && !this.#closeOneOf(this.#all))) {
      socket.destroy();
      return;
    }
    if (own !== null) this.#byAddress.set(key, own);
    const groups = own === null ? [this.#all] : [this.#all, own];
    this.#turn += 1;
    socket[connection] = {
      groups,
      newestAnswer: null,
      turn: this.#turn,
      seenTurn: 0,
      quietPolls: 0,
    };
    for (const group of groups) group.add(socket);
    socket.once("close", () => {
      this.#remove(socket);
      if (own?.size === 0) this.#byAddress.delete(key);
    });
  }

  /**
   * Stops counting a connection that was upgraded. The code that handles the upgraded connection
   * has its own limit.
   */
  release(socket: CountedSocket): void {
    this.#remove(socket);
    socket.setTimeout(0);
  }

  /** Records a request. Runs for every request, so it does as little as possible. */
  noteRequest(socket: CountedSocket, answer: ServerResponse): void {
    const known = socket[connection];
    if (known === undefined) return;
    this.#turn += 1;
    known.turn = this.#turn;
    known.newestAnswer = answer;
  }

  /**
   * Closes idle connections. This is done by polling, because a timer per connection would have to
   * be reset by every request. Only a connection with an unfinished response has a timer.
   */
  pollAll(): void {
    const { silenceMs, idleMs, checkEveryMs } = this.#limits;
    for (const socket of this.#all) {
      const known = socket[connection] as Connection;
      const isQuiet = known.turn === known.seenTurn;
      known.seenTurn = known.turn;
      known.quietPolls = isQuiet ? known.quietPolls + 1 : 0;
      if (!isQuiet) continue;
      if (!isIdle(known)) {
        if (!socket.timeout) socket.setTimeout(silenceMs);
      } else if (known.quietPolls * checkEveryMs >= idleMs) socket.destroy();
    }
  }

  /**
   * Stops counting a connection. A connection that is closed to make room stops counting before its
   * close event. Otherwise, several new connections at once would choose the same connection to
   * close, and the limit would be exceeded.
   */
  #remove(socket: CountedSocket): void {
    for (const group of socket[connection]?.groups ?? []) group.delete(socket);
  }

  #closeOneOf(group: Group): boolean {
    let oldest: CountedSocket | null = null;
    let oldestTurn = Number.POSITIVE_INFINITY;
    for (const socket of group) {
      const known = socket[connection] as Connection;
      if (isIdle(known) && known.turn < oldestTurn) [oldest, oldestTurn] = [socket, known.turn];
    }
    if (oldest === null) return false;
    this.#remove(oldest);
    oldest.destroy();
    return true;
  }
}

export type NoteRequest = (socket: Socket, answer: ServerResponse) => void;

/** Limits the connections of a server. Returns a function that must be called for each request. */
export function limitConnections(server: Server, limits: ConnectionLimits): NoteRequest {
  const connections = new ConnectionLimit(limits);
  server.on("connection", (socket) => connections.add(socket));
  server.on("upgrade", ({ socket }) => connections.release(socket));
  const timer = setInterval(() => connections.pollAll(), limits.checkEveryMs).unref();
  server.on("close", () => clearInterval(timer));
  return (socket, answer) => connections.noteRequest(socket, answer);
}
