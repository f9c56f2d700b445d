import http2 from "node:http2";
import type { TLSSocket } from "node:tls";
import { type HeaderField, maxBodyBytes, maxHeaderBytes } from "./http-request.ts";
import {
  type Message,
  maxInterims,
  readFaultCode,
  type WireEvents,
  wireFaults,
} from "./http-wire.ts";

/** Maximum number of frames without content that a server may send. */
const maxIdleFrames = 100;
/**
 * A server that sends more than this sends mostly empty frames, because a body ends far earlier.
 */
const maxSessionBytes = 4 * maxBodyBytes;
const floodCheckMs = 250;

/** Sends a request over a connection that negotiated HTTP/2 and reads the response. */
export function sendHttp2(socket: TLSSocket, message: Message, events: WireEvents): void {
  const session = http2.connect(message.url.origin, {
    createConnection: () => socket,
    settings: { enablePush: false, maxHeaderListSize: maxHeaderBytes },
    maxSessionMemory: 2,
    maxHeaderListPairs: 500,
    maxSettings: 32,
  });
  watchForFloods(session, socket, events);
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
    const head = { status, statusText: "", httpVersion: "2", headers: pair(headers) } as const;
    if (events.answered(head)) stream.on("data", (bytes: Buffer) => events.received(bytes));
    else events.ended();
  });
  // `end` is also emitted when the server resets the stream.
  stream.on("end", () => {
    if (!stream.aborted && stream.rstCode === 0) events.ended();
  });
  stream.on("error", (error) => events.failed(readFaultCode(error)));
  stream.on("close", () => events.failed(wireFaults.closed));
  if (message.body !== null) stream.end(message.body);
}

/** Node replies to each of these frames, so a server could keep this thread busy with them. */
function watchForFloods(
  session: http2.ClientHttp2Session,
  socket: TLSSocket,
  events: WireEvents,
): void {
  let frames = 0;
  const count = () => {
    frames += 1;
    if (frames > maxIdleFrames) events.failed(wireFaults.flooded);
  };
  session.on("ping", count);
  session.on("remoteSettings", count);
  session.on("altsvc", count);
  session.on("origin", count);
  const watch = setInterval(() => {
    if (socket.bytesRead > maxSessionBytes) events.failed(wireFaults.flooded);
  }, floodCheckMs);
  session.on("close", () => clearInterval(watch));
}

/** Header fields that HTTP/2 replaces or forbids. */
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

function pair(headers: http2.IncomingHttpHeaders): HeaderField[] {
  const pairs: HeaderField[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) pairs.push([name, one]);
  }
  return pairs;
}
