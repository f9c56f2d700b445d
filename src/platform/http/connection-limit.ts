import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type AddressKey, addressKey } from "../address-key.ts";

export interface ConnectionLimits {
  /** Of one IPv4 address or one /64. 0 for no limit. */
  readonly perAddress: number;
  readonly total: number;
  /** Proxies, which bring everybody's connections, and this machine itself. */
  readonly isExempt: (address: string) => boolean;
}

/** Connections of one address, or all of them; those that wait stand in order of waiting. */
class Group {
  count = 0;
  readonly idle = new Set<Socket>();
}

/**
 * No client takes all connections there are. When there are too many, of one address or in all,
 * one that has waited longest without a request makes room; when all are at work, the new one goes.
 */
class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  readonly #all = new Group();
  readonly #byAddress = new Map<AddressKey, Group>();
  readonly #groupsOf = new Map<Socket, readonly Group[]>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const { perAddress, total, isExempt } = this.#limits;
    const address = socket.remoteAddress ?? "";
    const isCounted = perAddress > 0 && !isExempt(address);
    const key = addressKey(address);
    const own = isCounted ? (this.#byAddress.get(key) ?? new Group()) : null;
    const isFull = own !== null && own.count >= perAddress && !this.#closeOneOf(own);
    if (isFull || (this.#all.count >= total && !this.#closeOneOf(this.#all))) {
      socket.destroy();
      return;
    }
    if (own !== null) this.#byAddress.set(key, own);
    const groups = own === null ? [this.#all] : [this.#all, own];
    this.#groupsOf.set(socket, groups);
    for (const group of groups) group.count += 1;
    this.wait(socket);
    socket.once("close", () => {
      this.#remove(socket);
      if (own?.count === 0) this.#byAddress.delete(key);
    });
  }

  work(socket: Socket): void {
    for (const group of this.#groupsOf.get(socket) ?? []) group.idle.delete(socket);
  }

  wait(socket: Socket): void {
    for (const group of this.#groupsOf.get(socket) ?? []) group.idle.add(socket);
  }

  /** Counted as gone at once, so that a burst closes as many as it brings. */
  #remove(socket: Socket): void {
    for (const group of this.#groupsOf.get(socket) ?? []) {
      group.count -= 1;
      group.idle.delete(socket);
    }
    this.#groupsOf.delete(socket);
  }

  #closeOneOf(group: Group): boolean {
    const [oldest] = group.idle;
    if (oldest === undefined) return false;
    this.#remove(oldest);
    oldest.destroy();
    return true;
  }
}

export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const connections = new ConnectionLimit(limits);
  server.on("connection", (socket) => connections.add(socket));
  server.on("request", ({ socket }, response) => {
    connections.work(socket);
    response.once("close", () => connections.wait(socket));
  });
}
