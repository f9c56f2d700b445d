import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** Starts a server that calls a scripted handler for each connection, and returns its port. */
export async function serveRaw(
  t: TestContext,
  talk: (socket: Socket) => void,
  options: { readonly host?: string; readonly tls?: TlsOptions } = {},
): Promise<number> {
  const open = new Set<Socket>();
  const accept = (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    talk(socket);
  };
  const server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);
  server.on("tlsClientError", () => {});
  server.listen(0, options.host ?? "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Returns a handler that sends a fixed response as soon as the client's request arrives. */
export function say(text: string | Buffer, end = true): (socket: Socket) => void {
  return (socket) => {
    socket.once("data", () => {
      if (end) socket.end(text);
      else socket.write(text);
    });
  };
}

/** Writes the given bytes repeatedly until the client disconnects. */
export function sayForever(socket: Socket, bytes: string | Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(bytes)) {}
  };
  socket.on("drain", write);
  write();
}
