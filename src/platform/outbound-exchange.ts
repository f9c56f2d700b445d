/** One HTTP request to addresses that have been checked, and its answer within its bounds. */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { http, https } from "./node-http.ts";
import { hostOf, isRedirect, portOf, type Rejection, reject } from "./outbound-guard.ts";

export type FailureReason = "timeout" | "dns" | "connection" | "tls" | "too-large" | "redirects";

export interface OutboundAnswer {
  readonly kind: "answered";
  readonly status: number;
  /** Names in lower case; values of the same name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** The same before it was read as text, for what is none. */
  readonly bodyBytes: Buffer;
}

export interface OutboundFailure {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** One sentence for a receipt; never holds any part of the address or of the answer. */
  readonly message: string;
  /** The status that had come before the rest of the answer failed. */
  readonly status: number | null;
}

const failureMessages: Readonly<Record<FailureReason, string>> = {
  timeout: "No complete answer came in time.",
  dns: "The name of the host could not be resolved.",
  connection: "The connection failed or was closed before the answer was complete.",
  tls: "No secure connection could be made.",
  "too-large": "The answer is larger than what is read.",
  redirects: "The answer redirects too many times.",
};

interface FailureDetails {
  readonly status?: number | null;
  readonly code?: unknown;
}

export function fail(reason: FailureReason, details: FailureDetails = {}): OutboundFailure {
  const { code, status = null } = details;
  // Only codes of the system go through: their messages name hosts and addresses.
  const isCode = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code);
  const message = failureMessages[reason] + (isCode ? ` (${code})` : "");
  return { kind: "failed", reason, message, status };
}

export interface Exchange {
  readonly url: URL;
  readonly addresses: readonly string[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

export type ExchangeResult = OutboundAnswer | OutboundFailure | Rejection;

/** The name is not resolved a second time, so nobody can change the answer in between. */
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
    // A socket of its own: one that is kept would outlive the check of its address.
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

/** Never rejects: whatever happens to a request is an answer about it. */
export function performExchange(exchange: Exchange): Promise<ExchangeResult> {
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
      readAnswer(response, exchange.maxResponseBytes, (result) => {
        resolve(result);
        request.destroy();
      });
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
