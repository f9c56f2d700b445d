/**
 * Requests user-supplied URLs, such as webhooks. Only checks and `outbound-fetch.ts` may request
 * such URLs in another way. The host name is resolved only once, its addresses are validated, and
 * the connection goes to a validated address. Time, size and redirects are limited.
 */
import { lookup } from "node:dns/promises";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { http, https } from "./node-modules.ts";
import {
  type AddressRules,
  checkRedirect,
  checkUrl,
  findAddressFault,
  hostOf,
  isRedirect,
  keepPublicHeaders,
  mayKeepSecrets,
  portOf,
  type Rejection,
  type RejectionReason,
  reject,
} from "./outbound-guard.ts";

export const outboundMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type OutboundMethod = (typeof outboundMethods)[number];

export interface OutboundRequest {
  readonly method: OutboundMethod;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | null;
  /**
   * Timeout of the whole request, from the resolution of the name to the end of the last response.
   */
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  /**
   * Whether the host of the URL may be on a private network, because an owner or admin entered the
   * URL. The host of a redirect may not, unless it is the same.
   */
  readonly allowLan?: boolean;
}

type FailureReason = "timeout" | "dns" | "connection" | "tls" | "too-large" | "redirects";

interface OutboundAnswer {
  readonly kind: "answered";
  readonly status: number;
  /**
   * Response headers, with names in lower case. Several values of one name are joined by commas.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** The response body as bytes, for binary content. */
  readonly bodyBytes: Buffer;
}

interface OutboundFailure {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** One sentence for a delivery log; never contains a part of the URL or of the response. */
  readonly message: string;
  /** Status of the response, if it arrived before the failure; otherwise `null`. */
  readonly status: number | null;
}

const failureMessages: Readonly<Record<FailureReason, string>> = {
  timeout: "The request timed out.",
  dns: "The host name could not be resolved.",
  connection: "The connection failed or was closed before the response was complete.",
  tls: "The TLS connection failed.",
  "too-large": "The response exceeds the size limit.",
  redirects: "Too many redirects.",
};

interface FailureDetails {
  readonly status?: number | null;
  readonly code?: unknown;
}

function fail(reason: FailureReason, details: FailureDetails = {}): OutboundFailure {
  const { code, status = null } = details;
  // The message contains only the code, because messages of the system contain addresses.
  const isCode = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code);
  const message = failureMessages[reason] + (isCode ? ` (${code})` : "");
  return { kind: "failed", reason, message, status };
}

interface Exchange {
  readonly url: URL;
  readonly addresses: readonly string[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

type ExchangeResult = OutboundAnswer | OutboundFailure | Rejection;

/**
 * Returns a lookup function that yields only the validated addresses. Another DNS query could yield
 * other addresses (DNS rebinding).
 */
function lookupIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (options.all) callback(null, found);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

export function startRequest(exchange: Omit<Exchange, "body" | "maxResponseBytes">): ClientRequest {
  const { url, method, headers, signal } = exchange;
  const host = hostOf(url);
  const options = {
    // Use a new socket, because a pooled socket would outlive the validation of its address.
    agent: false,
    host,
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers,
    signal,
    lookup: lookupIn(exchange.addresses),
    maxHeaderSize: 16_384,
  } as const;
  if (url.protocol === "http:") return http.request(options);
  return https.request({ ...options, servername: isIP(host) === 0 ? host : "" });
}

/**
 * Sends one request without following redirects. The promise never rejects; a failure is returned
 * as a result.
 */
function performExchange(exchange: Exchange): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    let request: ClientRequest;
    try {
      request = startRequest(exchange);
    } catch {
      resolve(reject("bad-request"));
      return;
    }
    let status: number | null = null;
    const failWith = (error: unknown) => resolve(describeError(error, exchange.signal, status));
    request.on("error", failWith);
    request.on("close", () => failWith(null));
    request.on("response", (response) => {
      status = response.statusCode ?? 0;
      response.on("error", failWith);
      const finish = (result: ExchangeResult) => {
        resolve(result);
        request.destroy();
      };
      readAnswer(response, exchange.maxResponseBytes, finish);
    });
    request.end(exchange.body ?? undefined);
  });
}

function readAnswer(
  response: IncomingMessage,
  maxBytes: number,
  finish: (result: OutboundAnswer | OutboundFailure) => void,
): void {
  const status = response.statusCode ?? 0;
  const headers = flattenHeaders(response.headers);
  if (isRedirect(status, headers.location)) {
    finish({ kind: "answered", status, headers, bodyText: "", bodyBytes: Buffer.alloc(0) });
    return;
  }
  const chunks: Buffer[] = [];
  let byteCount = 0;
  response.on("data", (chunk: Buffer) => {
    byteCount += chunk.length;
    if (byteCount > maxBytes) finish(fail("too-large", { status }));
    else chunks.push(chunk);
  });
  response.on("end", () => {
    const bodyBytes = Buffer.concat(chunks);
    const bodyText = bodyBytes.toString("utf8");
    finish({ kind: "answered", status, headers, bodyText, bodyBytes });
  });
}

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined)
      flat.push([name, typeof value === "string" ? value : value.join(", ")]);
  }
  return Object.fromEntries(flat);
}

const tlsCode = /^(CERT_|DEPTH_|ERR_SSL_|ERR_TLS_|SELF_SIGNED|UNABLE_TO_|EPROTO$|HOSTNAME_)/;

function describeError(
  error: unknown,
  signal: AbortSignal,
  status: number | null,
): OutboundFailure {
  if (signal.aborted) return fail("timeout", { status });
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const isTls = typeof code === "string" && tlsCode.test(code);
  return fail(isTls ? "tls" : "connection", { status, code });
}

export type OutboundResult = OutboundAnswer | OutboundFailure | Rejection;

export interface Outbound {
  readonly request: (request: OutboundRequest) => Promise<OutboundResult>;
}

type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface OutboundOptions extends AddressRules {
  /** Returns whether Vedette itself uses an endpoint of a private network, such as its database. */
  readonly isOwnEndpoint?: (address: string, port: number) => Promise<boolean>;
  readonly resolve?: Resolve;
  readonly userAgent?: string;
}

const defaultTimeoutMs = 10_000;
const maxTimeoutMs = 60_000;
const defaultMaxResponseBytes = 64 * 1024;
const maxRedirects = 3;

/**
 * Headers that users must not set, because they could smuggle a request or send it to another host.
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
  const lanOptions = request.allowLan ? { ...options, allowLan: true } : options;
  for (let hopCount = 0; hopCount <= maxRedirects; hopCount += 1) {
    const isEntered = hop.url.hostname === first.url.hostname;
    const result = await performChecked(isEntered ? lanOptions : options, hop);
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
 * Decides the next request after a redirect. Only status 303 changes the method to GET. Browsers do
 * this for 301 and 302 too, but then the body would be lost silently.
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

/**
 * Resolves a host and returns its addresses. A single address that is not allowed rejects the host,
 * because a mix of public and private addresses indicates an attack.
 */
export async function findReachable(
  options: OutboundOptions,
  url: URL,
  signal: AbortSignal,
): Promise<string[] | OutboundFailure | Rejection> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await findAddresses(options, host, signal) : [host];
  if (!Array.isArray(addresses)) return addresses;
  for (const address of addresses) {
    const fault = await findFault(options, address, portOf(url));
    if (fault !== null) return reject(fault);
  }
  return addresses;
}

async function findFault(
  options: OutboundOptions,
  address: string,
  port: number,
): Promise<RejectionReason | null> {
  const fault = findAddressFault(address, options);
  if (fault !== null) return fault;
  // Only the permission of an owner or admin excludes the endpoints of Vedette itself.
  const needsLan = findAddressFault(address, { ...options, allowLan: false }) !== null;
  const isOwn = needsLan && ((await options.isOwnEndpoint?.(address, port)) ?? false);
  return isOwn ? "local-address" : null;
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

/**
 * Rejects when the signal is aborted. A query to the system's resolver cannot be cancelled, so the
 * caller stops waiting for it.
 */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
}
