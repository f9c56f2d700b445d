import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { http } from "../../platform/node-modules.ts";
import { type HeaderField, maxHeaderBytes } from "./http-request.ts";
import {
  type Message,
  maxInterims,
  readFaultCode,
  type WireEvents,
  wireFaults,
} from "./http-wire.ts";

/**
 * Sends a request over an established connection and reads the response. Throws for bad headers.
 */
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
  // Node attaches its own listener in the same tick, so no data is lost.
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

/** Deferred, so that bytes received before the error are delivered first. */
function fail(code: string, events: WireEvents): void {
  setImmediate(() => {
    // Data after a complete response is ignored, as other clients do.
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
