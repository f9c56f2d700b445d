import { Resolver } from "node:dns";
import { isIP } from "node:net";

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

const defaultPort = 53;
/** The system file changes when the machine changes networks. */
const freshMs = 10_000;

let found: { readonly endpoint: Endpoint | null; readonly atMs: number } | null = null;

/** Returns the first DNS server of the system; `null` if there is none. */
export function findSystemServer(): Endpoint | null {
  const nowMs = performance.now();
  if (found === null || nowMs - found.atMs > freshMs) {
    const [first] = new Resolver().getServers();
    found = { endpoint: first === undefined ? null : parseServer(first), atMs: nowMs };
  }
  return found.endpoint;
}

/** Parses Node's format: an address, with a port unless it is 53. */
export function parseServer(text: string): Endpoint {
  if (isIP(text) !== 0) return { address: text, port: defaultPort };
  const { address = text, port } = /^\[?(?<address>.+?)\]?:(?<port>\d+)$/.exec(text)?.groups ?? {};
  return { address, port: port === undefined ? defaultPort : Number(port) };
}
