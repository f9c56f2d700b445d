import type { Duplex } from "node:stream";
import { type ErrorName, KnownError } from "../errors.ts";
import { toErrorBody } from "./error-handler.ts";

/** How long a rejected client has to read the answer before its connection is destroyed. */
const lingerMs = 1_000;

/** Responds to a request that Fastify never received, and closes its connection. */
export function rejectSocket(socket: Duplex, name: ErrorName): void {
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
  // Closing the write side is not enough: a client that only sends would stay connected for
  // minutes.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}
