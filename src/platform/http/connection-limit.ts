import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type AddressKey, addressKey } from "../address-key.ts";

export interface ConnectionLimits {
  /** Of one IPv4 address or one /64. 0 for no limit. */
  readonly perAddress: number;
  readonly total: number;
  /** Proxies, which bring everybody's connections, and this machine itself. */
  readonly isExempt: (address: string) => boolean;
}

/** Connections of one address, or all of them, in the order of their newest requests. */
type Group = Set<Socket>;

/**
 * No client takes all connections there are. When there are too many, of one address or in all,
 * one that has waited longest without a request makes room; when all are at work, the new one goes.
 */
class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  readonly #all: Group = new Set();
  readonly #byAddress = new Map<AddressKey, Group>();
  readonly #groupsOf = new Map<Socket, readonly Group[]>();
  readonly #newestAnswers = new WeakMap<Socket, ServerResponse>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const { perAddress, total, isExempt } = this.#limits;
    const address = socket.remoteAddress ?? "";
    const isCounted = perAddress > 0 && !isExempt(address);
    const key = addressKey(address);
    const own = isCounted ? (this.#byAddress.get(key) ?? new Set<Socket>()) : null;
    const isFull = own !== null && own.size >= perAddress && !this.#closeOneOf(own);
    if (isFull || (this.#all.size >= total && !this.#closeOneOf(this.#all))) {
      socket.destroy();
      return;
    }
    if (own !== null) this.#byAddress.set(key, own);
    const groups = own === null ? [this.#all] : [this.#all, own];
    this.#groupsOf.set(socket, groups);
    for (const group of groups) group.add(socket);
    socket.once("close", () => {
      this.#remove(socket);
      if (own?.size === 0) this.#byAddress.delete(key);
    });
  }

  /** On every request, so it only notes what is needed to find an idle connection later. */
  noteRequest(socket: Socket, answer: ServerResponse): void {
    this.#newestAnswers.set(socket, answer);
    for (const group of this.#groupsOf.get(socket) ?? []) {
      group.delete(socket);
      group.add(socket);
    }
  }

  #isIdle(socket: Socket): boolean {
    return this.#newestAnswers.get(socket)?.writableFinished ?? true;
  }

  /** Counted as gone at once, so that a burst closes as many as it brings. */
  #remove(socket: Socket): void {
    for (const group of this.#groupsOf.get(socket) ?? []) group.delete(socket);
    this.#groupsOf.delete(socket);
  }

  #closeOneOf(group: Group): boolean {
    const oldest = group.values().find((socket) => this.#isIdle(socket));
    if (oldest === undefined) return false;
    this.#remove(oldest);
    oldest.destroy();
    return true;
  }
}

export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const connections = new ConnectionLimit(limits);
  server.on("connection", (socket) => connections.add(socket));
  server.on("request", ({ socket }, answer) => connections.noteRequest(socket, answer));
}
