import type { IncomingMessage } from "node:http";
import http2 from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { readCode } from "../../../platform/errors.ts";
import { http } from "../../../platform/node-modules.ts";
import {
  type HeaderField,
  type HttpRequest,
  maxBodyBytes,
  maxHeaderBytes,
} from "./http-measurement.ts";

/** A request message, complete except for header fields that depend on the HTTP version. */
export interface Message {
  readonly url: URL;
  readonly method: string;
  /** Header fields of the request, with names in lower case. */
  readonly headers: readonly HeaderField[];
  readonly body: string | null;
}

export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: "1.0" | "1.1" | "2";
  readonly headers: readonly HeaderField[];
}

/**
 * Callbacks for the events of an HTTP/1 or HTTP/2 exchange. The receiver must ignore events after
 * `ended` or `failed`.
 */
interface WireEvents {
  /** Reports that bytes of a response arrived. May be called several times. */
  begun(): void;
  /** Receives status and headers of the response. Returns whether to read the body. */
  answered(head: AnswerHead): boolean;
  received(bytes: Buffer): void;
  ended(): void;
  /** Receives an error code of the system, of Node or of `wireFaults`. */
  failed(code: string): void;
}

/** Error codes of failures for which Node has no error code. */
export const wireFaults = {
  closed: "ECLOSED",
  timedOut: "ETIMEDOUT",
  tooManyInterims: "EINTERIM",
  upgraded: "EUPGRADED",
  flooded: "EFLOODED",
} as const;

/** Maximum number of interim responses (status below 200) to one request. */
export const maxInterims = 20;

/**
 * Returns the code of an error. Node uses ECONNRESET both for a reset and for an orderly close by
 * the peer. Only the error of a reset names a system call.
 */
export function readFaultCode(error: unknown): string {
  const code = readCode(error);
  if (code !== "ECONNRESET") return code;
  return (error as NodeJS.ErrnoException).syscall === undefined ? wireFaults.closed : code;
}

/** Sends a request on an open connection and reads the response. Throws for an invalid header. */
export function sendHttp1(socket: Socket, message: Message, events: WireEvents): void {
  const { url, method, headers, body } = message;
  let interims = 0;
  const request = http.request({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: [...headers.flat(), "connection", "close"],
    maxHeaderSize: maxHeaderBytes,
  });
  // This listener makes the socket emit data. The HTTP client of Node attaches its own listener
  // before the socket emits the first data, so the client misses no data.
  socket.once("data", () => events.begun());
  request.on("information", () => {
    interims += 1;
    if (interims > maxInterims) events.failed(wireFaults.tooManyInterims);
  });
  request.on("upgrade", () => events.failed(wireFaults.upgraded));
  request.on("error", (error) => fail(readFaultCode(error), events));
  request.on("response", (answer) => read(answer, events));
  request.end(body ?? undefined);
}

/**
 * Reports an error. The report is deferred, so that bytes received before the error are delivered
 * first.
 */
function fail(code: string, events: WireEvents): void {
  setImmediate(() => {
    // Data after a complete response is ignored, because other clients ignore it too.
    if (code === "HPE_CLOSED_CONNECTION") events.ended();
    events.failed(code);
  });
}

function read(answer: IncomingMessage, events: WireEvents): void {
  const isWanted = events.answered({
    status: answer.statusCode ?? 0,
    statusText: answer.statusMessage ?? "",
    httpVersion: answer.httpVersion === "1.0" ? "1.0" : "1.1",
    headers: pair(answer.rawHeaders),
  });
  if (!isWanted) {
    events.ended();
    return;
  }
  answer.on("data", (bytes: Buffer) => events.received(bytes));
  answer.on("end", () => events.ended());
  answer.on("error", (error) => fail(readFaultCode(error), events));
}

function pair(raw: readonly string[]): HeaderField[] {
  const headers: HeaderField[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    headers.push([(raw[at] ?? "").toLowerCase(), raw[at + 1] ?? ""]);
  }
  return headers;
}

/** Header fields that only the HTTP client sets. Values that a user configured are ignored. */
const ownHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const defaults: readonly HeaderField[] = [
  ["accept", "*/*"],
  ["accept-encoding", "gzip, deflate, br, zstd"],
  ["user-agent", "vedette"],
];

/** Builds the first message of a run; returns `null` if the URL cannot be requested over HTTP. */
export function buildFirstMessage(request: HttpRequest): Message | null {
  const url = URL.parse(request.url);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  const given = request.headers
    .map(([name, value]): HeaderField => [name.toLowerCase(), value])
    .filter(([name]) => !ownHeaders.has(name));
  const has = (wanted: string) => given.some(([name]) => name === wanted);
  const headers: HeaderField[] = has("host") ? [] : [["host", url.host]];
  headers.push(...defaults.filter(([name]) => !has(name)));
  const credentials = readCredentials(url);
  if (credentials !== null && !has("authorization")) headers.push(["authorization", credentials]);
  headers.push(...given);
  const { method, body } = request;
  const hasLength = body !== null || method === "POST" || method === "PUT" || method === "PATCH";
  if (hasLength) headers.push(["content-length", String(Buffer.byteLength(body ?? ""))]);
  url.username = "";
  url.password = "";
  url.hash = "";
  return { url, method, headers, body };
}

function readCredentials({ username, password }: URL): string | null {
  if (username === "" && password === "") return null;
  const text = `${decode(username)}:${decode(password)}`;
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

/** Decodes percent escapes. A text with an invalid escape stays unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Maximum number of control frames that a server may send, such as ping and settings frames. */
const maxIdleFrames = 100;
/**
 * Maximum number of bytes that a server may send on one connection. The body limit is far lower, so
 * a server that exceeds this maximum sends mostly frames without content.
 */
const maxSessionBytes = 4 * maxBodyBytes;
const floodCheckMs = 250;

/** Sends a request on an open HTTP/2 connection and reads the response. */
export function sendHttp2(socket: TLSSocket, message: Message, events: WireEvents): void {
  const session = http2.connect(message.url.origin, {
    createConnection: () => socket,
    settings: { enablePush: false, maxHeaderListSize: maxHeaderBytes },
    maxSessionMemory: 2,
    maxHeaderListPairs: 500,
    maxSettings: 32,
  });
  watchForFloods(session, socket, () => events.failed(wireFaults.flooded));
  session.on("error", (error) => events.failed(readFaultCode(error)));
  const stream = session.request(buildHeaders(message), { endStream: message.body === null });
  let interims = 0;
  stream.on("headers", () => {
    events.begun();
    interims += 1;
    if (interims > maxInterims) events.failed(wireFaults.tooManyInterims);
  });
  stream.on("response", (headers) => {
    events.begun();
    const status = Number(headers[":status"] ?? 0);
    const head = { status, statusText: "", httpVersion: "2", headers: joinPair(headers) } as const;
    if (events.answered(head)) stream.on("data", (bytes: Buffer) => events.received(bytes));
    else events.ended();
  });
  // `end` is also emitted if the server resets the stream, so the reset flags are checked.
  stream.on("end", () => {
    if (!stream.aborted && stream.rstCode === 0) events.ended();
  });
  stream.on("error", (error) => events.failed(readFaultCode(error)));
  stream.on("close", () => events.failed(wireFaults.closed));
  if (message.body !== null) stream.end(message.body);
}

/**
 * Detects a server that floods the connection with control frames. Node handles each of these
 * frames, so a flood could keep this thread busy.
 */
export function watchForFloods(
  session: http2.ClientHttp2Session,
  socket: Socket,
  onFlood: () => void,
): void {
  let frames = 0;
  const count = () => {
    frames += 1;
    if (frames > maxIdleFrames) onFlood();
  };
  session.on("ping", count);
  session.on("remoteSettings", count);
  session.on("altsvc", count);
  session.on("origin", count);
  const watch = setInterval(() => {
    if (socket.bytesRead > maxSessionBytes) onFlood();
  }, floodCheckMs);
  session.on("close", () => clearInterval(watch));
}

/** Header fields of HTTP/1 that HTTP/2 replaces or forbids. */
const otherwise = new Set(["host", "te", "connection"]);

function buildHeaders({ url, method, headers }: Message): http2.OutgoingHttpHeaders {
  const authority = headers.find(([name]) => name === "host")?.[1] ?? url.host;
  const built: Record<string, string | string[]> = {
    ":method": method,
    ":scheme": "https",
    ":authority": authority,
    ":path": `${url.pathname}${url.search}`,
  };
  for (const [name, value] of headers) {
    if (otherwise.has(name)) continue;
    const before = built[name];
    if (before === undefined) built[name] = value;
    else built[name] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return built;
}

function joinPair(headers: http2.IncomingHttpHeaders): HeaderField[] {
  const pairs: HeaderField[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) pairs.push([name, one]);
  }
  return pairs;
}
