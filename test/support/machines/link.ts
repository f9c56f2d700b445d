/** Links between machines, which are TCP proxies that can be cut, frozen, slowed and healed. */
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** End of a link: a port of this machine, or the path of a Unix socket. */
export type LinkEnd = number | string;

export interface Link {
  readonly name: string;
  /** Port of the link. Connections to this port are forwarded to the far end. */
  readonly port: number;
  /** Cuts the link: resets all existing connections and all new ones. */
  readonly cut: () => void;
  /**
   * Holds all data without closing connections, like packet loss. The data is delivered when the
   * link is healed.
   */
  readonly freeze: () => void;
  readonly slow: (delayMs: number) => void;
  readonly heal: () => void;
  readonly stop: () => Promise<void>;
}

/** Resets a connection. A Unix socket is only closed, because it cannot be reset. */
function reset(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

type State = "open" | "cut" | "frozen";

class Wire {
  state: State = "open";
  delayMs = 0;
  readonly sockets = new Set<Socket>();
  readonly #waiting: (() => void)[] = [];

  async pass(): Promise<void> {
    if (this.delayMs > 0) await new Promise((resume) => setTimeout(resume, this.delayMs));
    while (this.state === "frozen") {
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
  }

  release(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  reset(): void {
    for (const socket of this.sockets) reset(socket);
    this.release();
  }

  /** Forwards data in order, delayed or held according to the state of the link. */
  carry(from: Socket, to: Socket): void {
    const gate = new Transform({
      transform: (chunk, _encoding, done) => {
        this.pass().then(() => done(null, chunk), done);
      },
    });
    gate.on("error", () => {});
    from.pipe(gate).pipe(to);
  }
}

/**
 * Connects to the first end that responds, like a load balancer, so that a dead server does not
 * affect all clients.
 */
async function connectToFirst(ends: readonly LinkEnd[]): Promise<Socket | null> {
  for (const end of ends) {
    const socket =
      typeof end === "number" ? createConnection(end, "127.0.0.1") : createConnection(end);
    try {
      await once(socket, "connect");
      return socket;
    } catch {
      socket.destroy();
    }
  }
  return null;
}

async function join(wire: Wire, near: Socket, ends: readonly LinkEnd[]): Promise<void> {
  wire.sockets.add(near);
  near.on("error", () => {});
  near.on("close", () => wire.sockets.delete(near));
  if (wire.state === "cut") return void reset(near);
  await wire.pass();
  const far = await connectToFirst(ends);
  if (far === null || near.destroyed) {
    far?.destroy();
    reset(near);
    return;
  }
  wire.sockets.add(far);
  far.on("error", () => {});
  far.on("close", () => {
    wire.sockets.delete(far);
    near.destroy();
  });
  near.on("close", () => far.destroy());
  wire.carry(near, far);
  wire.carry(far, near);
}

export async function startLink(name: string, ...ends: readonly LinkEnd[]): Promise<Link> {
  const wire = new Wire();
  const server = createServer((near) => void join(wire, near, ends));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const set = (state: State) => {
    wire.state = state;
    if (state === "cut") wire.reset();
    else if (state === "open") wire.release();
  };
  return {
    name,
    port: (server.address() as AddressInfo).port,
    cut: () => set("cut"),
    freeze: () => set("frozen"),
    slow: (delayMs) => {
      wire.delayMs = delayMs;
    },
    heal: () => {
      wire.delayMs = 0;
      set("open");
    },
    stop: async () => {
      set("cut");
      server.close();
      await once(server, "close");
    },
  };
}
