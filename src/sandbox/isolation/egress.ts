import type { Socket as DatagramSocket, RemoteInfo } from "node:dgram";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, isIP, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import ipaddr from "ipaddr.js";
import type { Reach } from "../../platform/net/reach.ts";
import type { NameResolver } from "../../platform/net/resolve.ts";
import { http } from "../../platform/node-modules.ts";
import { type ScriptConnection, scriptLimits } from "../script-run.ts";

export interface EgressOptions {
  readonly resolver: NameResolver;
  readonly reach: Reach;
  /** File with additional certificate authorities, as in `RunnerSettings`. */
  readonly authorities?: string | undefined;
}

/**
 * Number of open sockets at which a run cannot open more connections. A connection to a target uses
 * two sockets: one to the script and one to the target.
 */
const maxOpen = 256;
const maxQueries = 32;
const connectTimeoutMs = 15_000;

/** Thrown when the network rules of this probe deny a connection. */
class DeniedError extends Error {}

const headerBytes = 12;
const types = { 1: "IPv4", 28: "IPv6" } as const;
const timeToLive = 30;
const isAnswer = 0x8180;
const nameMissing = 3;
const maxNameBytes = 255;

/**
 * Answers a DNS query of a script with the probe's own resolver. Whether an address is allowed is
 * checked only when the script connects. Returns `null` if the bytes are not a valid query.
 */
export async function answerQuery(query: Buffer, resolver: NameResolver): Promise<Buffer | null> {
  const question = readQuestion(query);
  if (question === null) return null;
  const { name, type, end } = question;
  const family = types[type as keyof typeof types];
  const found = family && (await resolver.resolve(name, family));
  const address = found?.address;
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  const isMissing = found?.error?.code === "ENOTFOUND";
  header.writeUInt16BE(isAnswer | (isMissing ? nameMissing : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(address === undefined ? 0 : 1, 6);
  const parts = [header, query.subarray(headerBytes, end)];
  if (address !== undefined && isIP(address) !== 0) parts.push(writeRecord(type, address));
  return Buffer.concat(parts);
}

interface Question {
  readonly name: string;
  readonly type: number;
  /** Offset of the first byte after the question. */
  readonly end: number;
}

function readQuestion(query: Buffer): Question | null {
  const hasOneQuestion = query.length > headerBytes && query.readUInt16BE(4) === 1;
  if (!hasOneQuestion || ((query[2] ?? 0) & 0x80) !== 0) return null;
  const labels: string[] = [];
  let place = headerBytes;
  for (;;) {
    const length = query[place];
    if (length === undefined || length > 63 || place > headerBytes + maxNameBytes) return null;
    place += 1;
    if (length === 0) break;
    labels.push(query.toString("latin1", place, place + length));
    place += length;
  }
  if (place + 4 > query.length) return null;
  return { name: labels.join("."), type: query.readUInt16BE(place), end: place + 4 };
}

function writeRecord(type: number, address: string): Buffer {
  const bytes = ipaddr.parse(address).toByteArray();
  const record = Buffer.alloc(12 + bytes.length);
  // DNS compression pointer to the name in the question.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(timeToLive, 6);
  record.writeUInt16BE(bytes.length, 10);
  record.set(bytes, 12);
  return record;
}

/**
 * The network of one run. Accepts connections from listeners inside the sandbox and opens
 * connections to targets outside. Each connection goes to exactly the address that was checked, so
 * a second name resolution cannot bypass the check.
 */
export class Egress {
  readonly #options: EgressOptions;
  readonly #proxy = http.createServer((request, response) => void this.#forward(request, response));
  readonly #listeners: { close(): unknown }[] = [];
  readonly #open = new Set<Duplex>();
  /** Number of connections to targets whose names are being resolved. */
  #resolving = 0;
  readonly #seen = new Map<
    string,
    { host: string; port: number; count: number; denial: string | null }
  >();
  #isCut = false;
  #isClosed = false;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#proxy.on("connect", (request, socket, head) => void this.#tunnel(request, socket, head));
    this.#proxy.on("clientError", (_error, socket) => socket.destroy());
  }

  /**
   * Serves an HTTP forward proxy. If the local address of a connection encodes a target, connects
   * to that target instead of reading a proxy request.
   */
  serveProxy(server: Server): void {
    this.#accept(server, (socket) => {
      const target = readTarget(socket.localAddress ?? "");
      if (target !== null) {
        this.#pass(socket, target.address, target.port);
        return;
      }
      this.#proxy.emit("connection", socket);
      socket.resume();
    });
  }

  /**
   * Serves clients that use no proxy. The local address of a connection is the target, because the
   * sandbox accepts connections to every address.
   */
  serveTransparently(server: Server, port: number): void {
    this.#accept(server, (socket) => {
      this.#pass(socket, withoutMapping(socket.localAddress ?? ""), port);
    });
  }

  #pass(socket: Socket, address: string, port: number): void {
    this.#dial(address, port).then(
      (target) => join(socket, target),
      () => socket.resetAndDestroy(),
    );
  }

  serveNames(socket: DatagramSocket): void {
    this.#listeners.push(socket);
    socket.on("error", () => {});
    // Limits concurrent queries, so that a script cannot fill the queue of the shared resolver.
    // Excess queries are dropped, and clients repeat them.
    let openQueries = 0;
    socket.on("message", async (query: Buffer, from: RemoteInfo) => {
      if (openQueries >= maxQueries) return;
      openQueries += 1;
      const answer = await answerQuery(query, this.#options.resolver).catch(() => null);
      openQueries -= 1;
      if (answer !== null && !this.#isClosed) socket.send(answer, from.port, from.address);
    });
  }

  /**
   * Lists the targets of all connection attempts. `isCut` means that attempts are missing because a
   * limit was reached.
   */
  list(): { readonly connections: readonly ScriptConnection[]; readonly isCut: boolean } {
    return { connections: [...this.#seen.values()], isCut: this.#isCut };
  }

  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners) {
      try {
        listener.close();
      } catch {
        // The listener was already closed together with its sandbox.
      }
    }
    for (const socket of this.#open) socket.destroy();
    this.#proxy.close();
  }

  #accept(server: Server, serve: (socket: Socket) => void): void {
    this.#listeners.push(server);
    server.on("error", () => {});
    server.on("connection", (socket: Socket) => {
      socket.on("error", () => {});
      const isFull = this.#open.size >= maxOpen;
      if (this.#isClosed || isFull) {
        this.#isCut ||= isFull;
        socket.destroy();
        return;
      }
      this.#track(socket);
      serve(socket);
    });
  }

  #track(socket: Duplex): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  async #tunnel({ url = "" }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => {});
    const match = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(url);
    try {
      const target = await this.#dial(match?.[1] ?? "", Number(match?.[2]));
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) target.write(head);
      join(client, target);
    } catch (error) {
      const { status, text } = describe(error);
      client.end(`HTTP/1.1 ${status} Failed\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on("error", () => {});
    response.on("error", () => {});
    const fail = (error: unknown) => {
      const { status, text } = describe(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { "content-type": "text/plain" }).end(text);
    };
    try {
      const target = new URL(request.url ?? "");
      const host = target.hostname.replace(/^\[(.*)\]$/, "$1");
      const socket = await this.#dial(host, Number(target.port) || 80);
      const { "proxy-connection": _a, "proxy-authorization": _b, ...headers } = request.headers;
      const onward = http.request({
        createConnection: () => socket,
        method: request.method ?? "GET",
        path: `${target.pathname}${target.search}`,
        headers: { ...headers, connection: "close" },
        setHost: false,
      });
      onward.on("error", fail);
      response.once("close", () => onward.destroy());
      onward.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      });
      request.pipe(onward);
    } catch (error) {
      fail(error);
    }
  }

  async #dial(host: string, port: number): Promise<Socket> {
    const name = host.toLowerCase();
    if (name === "" || !(port > 0 && port < 65_536)) throw new Error("The target is invalid.");
    if (this.#open.size + this.#resolving >= maxOpen) {
      this.#isCut = true;
      this.#note(name, port, null);
      throw new Error(`The run has more than ${maxOpen} open connections.`);
    }
    this.#resolving += 1;
    const addresses = await this.#resolve(name).finally(() => {
      this.#resolving -= 1;
    });
    const { reach } = this.#options;
    const denials = addresses.map((address) => reach.findDenial(address, port));
    const allowed = addresses.filter((_address, index) => denials[index] === null);
    const denial = allowed.length === 0 ? (denials[0] ?? null) : null;
    this.#note(name, port, denial);
    if (denial !== null) throw new DeniedError(denial);
    let failure: unknown = new Error(`${host} does not resolve to an address.`);
    for (const address of allowed) {
      try {
        return await this.#connect(address, port);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** Resolves a name to addresses. IPv4 addresses come first because most probes support IPv4. */
  async #resolve(name: string): Promise<string[]> {
    if (isIP(name) !== 0) return [withoutMapping(name)];
    const { resolver } = this.#options;
    const found = await Promise.all([
      resolver.resolve(name, "IPv4"),
      resolver.resolve(name, "IPv6"),
    ]);
    return found.flatMap(({ address }) => address ?? []);
  }

  #connect(host: string, port: number): Promise<Socket> {
    if (this.#isClosed) return Promise.reject(new Error("The run has ended."));
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, timeout: connectTimeoutMs });
      this.#track(socket);
      socket.once("timeout", () => socket.destroy(new Error(`${host} does not respond.`)));
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.setTimeout(0);
        socket.on("error", () => {});
        resolve(socket);
      });
    });
  }

  #note(host: string, port: number, denial: string | null): void {
    const key = `${host} ${port}`;
    const why = denial?.slice(0, scriptLimits.denialLength) ?? null;
    const known = this.#seen.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.denial = why;
      return;
    }
    if (this.#seen.size >= scriptLimits.connections) {
      this.#isCut = true;
      return;
    }
    const shown = host.slice(0, scriptLimits.hostLength);
    this.#seen.set(key, { host: shown, port, count: 1, denial: why });
  }
}

function describe(error: unknown): { readonly status: number; readonly text: string } {
  const text = error instanceof Error ? error.message : String(error);
  return { status: error instanceof DeniedError ? 403 : 502, text: text.replace(/[^ -~]/g, "?") };
}

function join(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  one.once("close", () => other.destroy());
  other.once("close", () => one.destroy());
}

const encodedTarget = /^fd56:6564:6574:7465:1:([0-9a-f]{1,4}):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Decodes the target from the local address of a connection; `null` if the address does not encode
 * a target. An encoded address consists of a prefix, a port and an IPv4 address. The helper
 * network.cjs can connect to such an address, because every address is local in a sandbox with
 * namespaces.
 */
export function readTarget(
  local: string,
): { readonly address: string; readonly port: number } | null {
  const match = encodedTarget.exec(local);
  if (match === null) return null;
  const [port = 0, high = 0, low = 0] = match.slice(1).map((group) => Number.parseInt(group, 16));
  const address = [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return { address, port };
}

/**
 * Converts an IPv4-mapped IPv6 address such as "::ffff:192.0.2.1" to its IPv4 address. Returns
 * other addresses unchanged.
 */
function withoutMapping(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}
