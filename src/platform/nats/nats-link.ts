import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Log } from "../log.ts";
import { Progress, type ProgressState } from "../progress.ts";
import type { NatsAddress } from "./nats-address.ts";
import { NatsPublisher } from "./nats-publisher.ts";

/** One connection to NATS, until it ends. Each reconnect creates a new session. */
export interface NatsSession {
  readonly nc: NatsConnection;
  readonly publisher: NatsPublisher;
  readonly isOpen: () => boolean;
}

interface NatsLinkOptions {
  readonly address: NatsAddress;
  readonly log: Log;
  /** Name of this client in NATS monitoring. */
  readonly name: string;
  /** Subject prefix for responses. NATS may restrict a user to responses on this prefix. */
  readonly inboxPrefix: string;
  /** Called with a new connection before the session is used, for example to create streams. */
  readonly prepare?: (nc: NatsConnection) => Promise<void>;
  /** Called with a new connection before `onConnected`, for example to subscribe to subjects. */
  readonly onOpen?: (nc: NatsConnection) => void;
  readonly onConnected?: (isConnected: boolean) => void;
}

const connectTimeoutMs = 5_000;
const firstPauseMs = 250;
const maxPauseMs = 2_000;
/** Interval of pings. If NATS does not respond for three intervals, the connection is closed. */
const pingEveryMs = 3_000;
const flushMs = 1_000;
/** Duration of an outage above which it is reported as a problem. */
const toleranceMs = 5_000;

/** Maintains a connection to NATS. The number of attempts to reconnect is not limited. */
export class NatsLink {
  readonly #options: NatsLinkOptions;
  readonly #progress = new Progress({ name: "NATS", isEssential: false, toleranceMs });
  readonly #stopping = new AbortController();
  #session: NatsSession | null = null;
  #waiting = Promise.withResolvers<void>();
  #done: Promise<void> = Promise.resolve();

  constructor(options: NatsLinkOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  get current(): NatsSession | null {
    return this.#session;
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  get inboxPrefix(): string {
    return this.#options.inboxPrefix;
  }

  progress(): ProgressState {
    return this.#progress.state();
  }

  /** Returns the current session. If there is none, waits for the next one without a time limit. */
  async session(signal?: AbortSignal): Promise<NatsSession> {
    while (this.#session === null) {
      signal?.throwIfAborted();
      this.#stopping.signal.throwIfAborted();
      await raceSignal(this.#waiting.promise, signal);
    }
    return this.#session;
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.#stopping.abort(new Error("the connection to NATS was closed"));
    this.#waiting.resolve();
    const session = this.#session;
    if (session !== null) {
      // Try to send pending messages and acknowledgements before the connection is closed.
      await Promise.race([session.nc.flush().catch(() => {}), pause(flushMs, undefined)]);
      await session.nc.close();
    }
    await this.#done;
  }

  async #run(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!this.isStopped) {
      try {
        await this.#holdConnection(() => {
          pauseMs = firstPauseMs;
        });
      } catch (error) {
        this.#noteFailure(error);
        await pause(pauseMs * (0.75 + Math.random() / 2), this.#stopping.signal);
        pauseMs = Math.min(2 * pauseMs, maxPauseMs);
      }
    }
  }

  /** Connects and holds the connection. Rejects when the connection fails or ends. */
  async #holdConnection(onOpen: () => void): Promise<void> {
    const { address, name, inboxPrefix, log } = this.#options;
    const nc = await connect({
      servers: [...address.servers],
      ...(address.isTls && { tls: {} }),
      ...(address.user !== null && { user: address.user }),
      ...(address.password !== null && { pass: address.password }),
      name,
      inboxPrefix,
      reconnect: false,
      timeout: connectTimeoutMs,
      pingInterval: pingEveryMs,
      maxPingOut: 2,
    });
    const ended = nc.closed();
    let isOpen = true;
    void ended.then(() => {
      isOpen = false;
    });
    void this.#followErrors(nc);
    try {
      await this.#options.prepare?.(nc);
      this.#stopping.signal.throwIfAborted();
      onOpen();
      this.#options.onOpen?.(nc);
      const publisher = new NatsPublisher(nc, inboxPrefix);
      this.#session = { nc, publisher, isOpen: () => isOpen };
      this.#waiting.resolve();
      this.#waiting = Promise.withResolvers();
      this.#progress.succeed();
      this.#options.onConnected?.(true);
      log.info({ server: nc.getServer() }, "connected to NATS");
      const error = await ended;
      if (!this.isStopped) throw error ?? new Error("NATS closed the connection");
    } finally {
      if (this.#session !== null) this.#options.onConnected?.(false);
      this.#session = null;
      await nc.close().catch(() => {});
    }
  }

  /** Logs errors of NATS, such as a forbidden subject. NATS reports them in no other way. */
  async #followErrors(nc: NatsConnection): Promise<void> {
    for await (const status of nc.status()) {
      if (status.type === "error")
        this.#options.log.warn({ err: status.error }, "NATS reported an error");
    }
  }

  #noteFailure(error: unknown): void {
    const isFirst = this.#progress.failuresInARow === 0;
    this.#progress.fail();
    if (isFirst) this.#options.log.warn({ err: error }, "NATS is unavailable; reconnecting");
  }
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resume) => {
    timer = setTimeout(resume, ms);
  });
  await raceSignal(over, signal).catch(() => {});
  clearTimeout(timer);
}

/**
 * Waits for a promise. Rejects if the signal is aborted first. Removes the abort listener at the
 * end.
 */
async function raceSignal<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
