import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import pg from "pg";
import {
  clientOptions,
  cutOff,
  type DatabaseConnection,
  type DatabaseDeadlines,
  defaultDeadlines,
} from "./database-pool.ts";
import type { Log } from "./log.ts";

export interface Notifications {
  /** While this is false, notifications may be missed, and caches must not be trusted. */
  readonly isListening: () => boolean;
  readonly stop: () => Promise<void>;
}

export interface ChannelHandlers {
  readonly onNotification: (payload: string) => void;
  /** Called after each gap, before `isListening` is true again. */
  readonly onGap: () => void;
}

export interface NotificationOptions {
  readonly connection: DatabaseConnection;
  /** By channel. One connection listens for all of them. */
  readonly channels: Readonly<Record<string, ChannelHandlers>>;
  readonly log: Log;
  readonly deadlines?: DatabaseDeadlines;
}

const retryMs = 500;

/**
 * LISTEN on a connection of its own, made again whenever it breaks. A connection can fall silent
 * without breaking, and something in between may answer and pass no notification on: so it has to
 * hear itself now and then, and until it has, it is not believed to listen.
 */
class Listener implements Notifications {
  readonly #options: NotificationOptions;
  readonly #deadlines: DatabaseDeadlines;
  /** The newest connection, also while it is still being opened. */
  #latest: pg.Client | null = null;
  #client: pg.Client | null = null;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #provenAtMs = Number.NEGATIVE_INFINITY;
  /** What it tells itself on a channel of its own, and last heard there. */
  readonly #ownChannel = `line_${randomUUID().replaceAll("-", "")}`;
  #lastHeard = "";
  #isDeaf = false;

  constructor(options: NotificationOptions) {
    this.#options = options;
    this.#deadlines = options.deadlines ?? defaultDeadlines;
  }

  readonly isListening = (): boolean => {
    const { heartbeatEveryMs, connectMs } = this.#deadlines;
    const trustMs = heartbeatEveryMs + connectMs;
    return this.#client !== null && performance.now() - this.#provenAtMs <= trustMs;
  };

  readonly stop = async (): Promise<void> => {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    if (client !== null) await endWithin(client, this.#deadlines.connectMs);
  };

  async connect(): Promise<void> {
    const { connection, channels, log } = this.#options;
    const { connectMs } = this.#deadlines;
    const next = new pg.Client({
      ...clientOptions(connection),
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
    });
    this.#latest = next;
    next.on("error", (error) => log.debug({ err: error }, "the listening connection broke"));
    next.on("end", () => this.#lose(next));
    next.on("notification", ({ channel, payload = "" }) => {
      if (channel === this.#ownChannel) this.#lastHeard = payload;
      else channels[channel]?.onNotification(payload);
    });
    try {
      await next.connect();
      await next.query(
        [this.#ownChannel, ...Object.keys(channels)]
          .map((channel) => `listen ${channel}`)
          .join("; "),
      );
      await this.#hearItself(next);
    } catch {
      this.#lose(next);
      await endWithin(next, connectMs);
      return;
    }
    for (const { onGap } of Object.values(channels)) onGap();
    if (this.#isStopped) return endWithin(next, connectMs);
    this.#client = next;
    this.#beat(next);
  }

  /** PostgreSQL passes on what a session tells itself before it is ready for the next query. */
  async #hearItself(client: pg.Client): Promise<void> {
    const told = randomUUID();
    await client.query("select pg_notify($1, $2)", [this.#ownChannel, told]);
    const isDeaf = this.#lastHeard !== told;
    if (isDeaf && !this.#isDeaf) {
      this.#options.log.warn(
        "notifications of the database do not arrive, so that nothing can be remembered: " +
          "a pooler between must work in session mode",
      );
    }
    this.#isDeaf = isDeaf;
    if (isDeaf) throw new Error("a notification did not arrive");
  }

  /** A connection that does not hear itself is closed and replaced. */
  #beat(client: pg.Client): void {
    this.#provenAtMs = performance.now();
    this.#timer = setTimeout(() => {
      this.#hearItself(client).then(
        () => this.#client === client && this.#beat(client),
        () => cutOff(client),
      );
    }, this.#deadlines.heartbeatEveryMs);
  }

  #lose(lost: pg.Client): void {
    if (this.#latest !== lost) return;
    this.#latest = null;
    this.#client = null;
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const pauseMs = this.#isDeaf ? this.#deadlines.heartbeatEveryMs : retryMs;
    this.#timer = setTimeout(() => void this.connect(), pauseMs);
  }
}

async function endWithin(client: pg.Client, patienceMs: number): Promise<void> {
  const cut = setTimeout(() => cutOff(client), patienceMs);
  await client.end().catch(() => {});
  clearTimeout(cut);
}

export async function listenForNotifications(options: NotificationOptions): Promise<Notifications> {
  const listener = new Listener(options);
  await listener.connect();
  return listener;
}
