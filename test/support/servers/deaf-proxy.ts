import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Transform } from "node:stream";

export interface DeafProxy {
  readonly url: string;
  isDeaf: boolean;
  readonly stop: () => Promise<void>;
}

const notification = "A".charCodeAt(0);

/** Forwards messages from PostgreSQL, but drops notifications while `isDeaf` is true. */
function filterNotifications(isDeaf: () => boolean): Transform {
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      // A message consists of a type byte and the length of the rest, followed by the rest.
      while (rest.length >= 5 && rest.length >= 1 + rest.readUInt32BE(1)) {
        const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
        rest = rest.subarray(message.length);
        if (message[0] !== notification || !isDeaf()) this.push(message);
      }
      done();
    },
  });
}

/**
 * Starts a proxy for PostgreSQL that can lose notifications, like a connection pooler in
 * transaction mode.
 */
export async function startDeafProxy(databaseUrl: string): Promise<DeafProxy> {
  const target = new URL(databaseUrl);
  const path = join(target.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(path);
    near.pipe(far);
    far.pipe(filterNotifications(() => proxy.isDeaf)).pipe(near);
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const proxy: DeafProxy = {
    url: `postgres://${target.username}@127.0.0.1:${port}${target.pathname}`,
    isDeaf: false,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}
