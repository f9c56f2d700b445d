import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { TestContext } from "node:test";

/**
 * Starts a server that accepts connections, but responds to them only after `release` has been
 * called.
 */
export async function startHeldServer(
  t: Pick<TestContext, "after">,
): Promise<{ readonly port: number; readonly release: () => void }> {
  const { promise: isLet, resolve: release } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    void isLet.then(() => socket.end("+PONG\r\n"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, release };
}
