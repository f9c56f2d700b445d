import type { Duplex } from "node:stream";
import { type ErrorName, KnownError } from "../errors.ts";
import { toErrorBody } from "./error-handler.ts";

/** Answers a request that never became one of the framework's, and closes its connection. */
export function refuseSocket(socket: Duplex, name: ErrorName): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = toErrorBody(new KnownError(name));
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${body.statusCode} ${body.error}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
