import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";

export interface SilentLink {
  readonly port: number;
  /** Stops forwarding data of existing connections, without closing the connections. */
  readonly forgetConnections: () => void;
  /** Stops forwarding data of new connections. */
  readonly fallSilent: () => void;
  /** Starts forwarding data of new connections again. */
  readonly speakAgain: () => void;
  readonly stop: () => Promise<void>;
}

export interface SilentProxy extends SilentLink {
  /** URL with which a client connects to the database through the proxy. */
  readonly url: string;
}

/**
 * Starts a proxy in front of PostgreSQL that can stop responding, like a firewall or connection
 * pooler.
 */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const target = new URL(databaseUrl);
  const path = join(target.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const link = await startSilentLink(() => createConnection(path));
  const url = `postgres://${target.username}@127.0.0.1:${link.port}${target.pathname}`;
  return { ...link, url };
}

/** Starts a proxy between two programs that can stop forwarding data. */
export async function startSilentLink(connect: () => Socket): Promise<SilentLink> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const accepted = new Set<Socket>();
  let isSilent = false;

  const forward = (near: Socket) => {
    const far = connect();
    const pair = [near, far] as const;
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    for (const [one, other] of [pair, [far, near]] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
    near.on("close", () => pairs.delete(pair));
  };
  const server = createServer((near) => {
    accepted.add(near);
    near.on("error", () => {});
    near.on("close", () => accepted.delete(near));
    if (isSilent) near.resume();
    else forward(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const forgetConnections = () => {
    for (const [near, far] of pairs) {
      near.unpipe(far);
      far.unpipe(near);
      near.resume();
      far.resume();
    }
  };
  return {
    port,
    forgetConnections,
    fallSilent: () => {
      isSilent = true;
      forgetConnections();
    },
    speakAgain: () => {
      isSilent = false;
    },
    stop: async () => {
      for (const near of accepted) near.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
