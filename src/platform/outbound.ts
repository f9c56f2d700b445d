/**
 * The only way to request a user-supplied URL: the name is resolved once, its addresses are
 * validated, and the connection goes to a validated address. Time, size and redirects are limited.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import {
  type Exchange,
  type ExchangeResult,
  fail,
  type OutboundAnswer,
  type OutboundFailure,
  performExchange,
} from "./outbound-exchange.ts";
import {
  checkRedirect,
  checkUrl,
  classifyAddress,
  hostOf,
  isRedirect,
  keepPublicHeaders,
  mayKeepSecrets,
  type Rejection,
  reject,
} from "./outbound-guard.ts";

export const outboundMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type OutboundMethod = (typeof outboundMethods)[number];

export interface OutboundRequest {
  readonly method: OutboundMethod;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | null;
  /** Timeout for everything: name resolution, connections, redirects and the complete response. */
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
}

export type OutboundResult = OutboundAnswer | OutboundFailure | Rejection;
export type { OutboundAnswer, OutboundFailure, Rejection };

export interface Outbound {
  readonly request: (request: OutboundRequest) => Promise<OutboundResult>;
}

export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface OutboundOptions {
  /** Whether private, local and reserved networks may be reached. */
  readonly allowPrivate: boolean;
  /** Addresses that may be reached although their network is forbidden. */
  readonly allowedAddresses?: readonly string[];
  readonly resolve?: Resolve;
  readonly userAgent?: string;
}

const defaultTimeoutMs = 10_000;
const maxTimeoutMs = 60_000;
const defaultMaxResponseBytes = 64 * 1024;
const maxRedirects = 3;

/**
 * These belong to the connection; a user-supplied one could smuggle a request or change the host.
 */
const connectionHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

async function resolveWithSystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}

export function createOutbound(options: OutboundOptions): Outbound {
  return {
    request: async (request) => {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), clampTimeout(request.timeoutMs));
      try {
        return await followRedirects(options, request, deadline.signal);
      } catch {
        return deadline.signal.aborted ? fail("timeout") : reject("bad-request");
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function clampTimeout(timeoutMs = defaultTimeoutMs): number {
  return Math.min(Math.max(Math.ceil(timeoutMs), 1), maxTimeoutMs);
}

async function followRedirects(
  options: OutboundOptions,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResult> {
  const first = checkUrl(request.url);
  if (first.kind === "refused") return first;
  let hop: Omit<Exchange, "addresses"> = {
    url: first.url,
    method: request.method,
    headers: prepareHeaders(options, request.headers ?? {}),
    body: request.body ?? null,
    maxResponseBytes: request.maxResponseBytes ?? defaultMaxResponseBytes,
    signal,
  };
  for (let hopCount = 0; hopCount <= maxRedirects; hopCount += 1) {
    const result = await performChecked(options, hop);
    if (result.kind !== "answered") return result;
    const { location } = result.headers;
    if (!isRedirect(result.status, location)) return result;
    const next = checkRedirect(hop.url, location);
    if (next.kind === "refused") return next;
    hop = { ...hop, ...decideNextHop(hop, result.status, next.url) };
  }
  return fail("redirects");
}

/**
 * A body is sent again to the redirect's target, even after 301 and 302, where browsers change to
 * GET and the message would be lost silently.
 */
function decideNextHop(
  hop: Omit<Exchange, "addresses">,
  status: number,
  url: URL,
): Pick<Exchange, "url" | "method" | "headers" | "body"> {
  const headers = mayKeepSecrets(hop.url, url) ? hop.headers : keepPublicHeaders(hop.headers);
  if (status !== 303 || hop.method === "HEAD") {
    return { url, headers, method: hop.method, body: hop.body };
  }
  return { url, headers, method: "GET", body: null };
}

export function prepareHeaders(
  options: OutboundOptions,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !connectionHeaders.has(name));
  return { "user-agent": options.userAgent ?? "vedette", ...Object.fromEntries(kept) };
}

async function performChecked(
  options: OutboundOptions,
  hop: Omit<Exchange, "addresses">,
): Promise<ExchangeResult> {
  const addresses = await findReachable(options, hop.url, hop.signal);
  return Array.isArray(addresses) ? performExchange({ ...hop, addresses }) : addresses;
}

/** Resolves a host and returns its addresses if all of them may be reached. */
export async function findReachable(
  options: OutboundOptions,
  url: URL,
  signal: AbortSignal,
): Promise<string[] | OutboundFailure | Rejection> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await findAddresses(options, host, signal) : [host];
  if (!Array.isArray(addresses)) return addresses;
  const isFine = addresses.every((address) => mayReach(options, address));
  return isFine ? addresses : reject("private-address");
}

/**
 * One forbidden address rejects the name: a mix of public and private addresses indicates an
 * attack.
 */
function mayReach(options: OutboundOptions, address: string): boolean {
  const kind = classifyAddress(address);
  if (kind === "not-an-address") return false;
  if (kind === "public" || options.allowPrivate) return true;
  return options.allowedAddresses?.includes(address) ?? false;
}

async function findAddresses(
  options: OutboundOptions,
  host: string,
  signal: AbortSignal,
): Promise<string[] | OutboundFailure> {
  const resolve = options.resolve ?? resolveWithSystem;
  try {
    const addresses = await Promise.race([resolve(host), untilAborted(signal)]);
    return addresses.length === 0 ? fail("dns") : [...addresses];
  } catch (error) {
    if (signal.aborted) return fail("timeout");
    return fail("dns", { code: error instanceof Error && "code" in error ? error.code : null });
  }
}

/** A query to the system's resolver cannot be cancelled, only abandoned. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
}
