/** Sends one HTTP request to validated addresses and reads its response within limits. */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { http, https } from "./node-modules.ts";
import { hostOf, isRedirect, portOf, type Rejection, reject } from "./outbound-guard.ts";

export type FailureReason = "timeout" | "dns" | "connection" | "tls" | "too-large" | "redirects";

export interface OutboundAnswer {
  readonly kind: "answered";
  readonly status: number;
  /** Names in lower case; values of the same name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** The body as bytes, for binary content. */
  readonly bodyBytes: Buffer;
}

export interface OutboundFailure {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** One sentence for a delivery log; never contains a part of the URL or of the response. */
  readonly message: string;
  /** Status received before the rest of the response failed. */
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

export function fail(reason: FailureReason, details: FailureDetails = {}): OutboundFailure {
  const { code, status = null } = details;
  // Only system error codes are included: their messages contain hosts and addresses.
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

/** Uses the resolved addresses: a second lookup could return different ones (DNS rebinding). */
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
    // A new socket: a pooled one would outlive the validation of its address.
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

/** Never rejects: a failure is a result. */
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
