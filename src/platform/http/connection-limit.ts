import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type AddressKey, addressKey } from "../address-key.ts";

export interface ConnectionLimits {
  /** Of one IPv4 address or one /64. 0 for no limit. */
  readonly perAddress: number;
  readonly total: number;
  /** A client that reads nothing of its answer for this long is cut off. */
  readonly silenceMs: number;
  /** A connection on which nothing is asked for this long is closed. */
  readonly idleMs: number;
  readonly checkEveryMs: number;
  /** Proxies, which bring everybody's connections, and this machine itself. */
  readonly isExempt: (address: string) => boolean;
}

const connection = Symbol("connection");

/** What is known of a connection, kept on its socket: every request writes here. */
interface Connection {
  readonly groups: readonly Group[];
  newestAnswer: ServerResponse | null;
  /** The larger, the newer its last request. */
  turn: number;
  /** Its turn when all connections were last looked at. */
  seenTurn: number;
  /** In how many looks it had no new request. */
  quietLooks: number;
}

interface CountedSocket extends Socket {
  [connection]?: Connection;
}

function isIdle({ newestAnswer }: Connection): boolean {
  return newestAnswer === null || newestAnswer.writableFinished;
}

/** Connections of one address, or all of them. */
type Group = Set<CountedSocket>;

/**
 * No client takes all connections there are. When there are too many, of one address or in all,
 * one that has waited longest without a request makes room; when all are at work, the new one goes.
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
      quietLooks: 0,
    };
    for (const group of groups) group.add(socket);
    socket.once("close", () => {
      this.#remove(socket);
      if (own?.size === 0) this.#byAddress.delete(key);
    });
  }

  /** It is no longer ours: whoever took it over has a limit of its own. */
  release(socket: CountedSocket): void {
    this.#remove(socket);
    socket.setTimeout(0);
  }

  /** On every request, so it only notes what is needed to find an idle connection later. */
  noteRequest(socket: CountedSocket, answer: ServerResponse): void {
    const known = socket[connection];
    if (known === undefined) return;
    this.#turn += 1;
    known.turn = this.#turn;
    known.newestAnswer = answer;
  }

  /**
   * Now and then, in place of a timer for each connection, which every request would have to set
   * anew. Only an answer that is still under way gets one.
   */
  lookAtAll(): void {
    const { silenceMs, idleMs, checkEveryMs } = this.#limits;
    for (const socket of this.#all) {
      const known = socket[connection] as Connection;
      const isQuiet = known.turn === known.seenTurn;
      known.seenTurn = known.turn;
      known.quietLooks = isQuiet ? known.quietLooks + 1 : 0;
      if (!isQuiet) continue;
      if (!isIdle(known)) {
        if (!socket.timeout) socket.setTimeout(silenceMs);
      } else if (known.quietLooks * checkEveryMs >= idleMs) socket.destroy();
    }
  }

  /** Counted as gone at once, so that a burst closes as many as it brings. */
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

/** Call what this returns on every request. */
export function limitConnections(server: Server, limits: ConnectionLimits): NoteRequest {
  const connections = new ConnectionLimit(limits);
  server.on("connection", (socket) => connections.add(socket));
  server.on("upgrade", ({ socket }) => connections.release(socket));
  const timer = setInterval(() => connections.lookAtAll(), limits.checkEveryMs).unref();
  server.on("close", () => clearInterval(timer));
  return (socket, answer) => connections.noteRequest(socket, answer);
}
