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

export interface NewsHandlers {
  readonly onNotification: (payload: string) => void;
  /** Called after each gap, before `isListening` is true again. */
  readonly onGap: () => void;
}

export interface NotificationOptions {
  readonly connection: DatabaseConnection;
  /** By channel. One connection listens for all of them. */
  readonly channels: Readonly<Record<string, NewsHandlers>>;
  readonly log: Log;
  readonly deadlines?: DatabaseDeadlines;
}

const retryMs = 500;

/**
 * LISTEN on a connection of its own, made again whenever it breaks. A connection can fall silent
 * without breaking, so that it must prove now and then that it lives; until it has, it is not
 * believed to listen.
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
    next.on("notification", ({ channel, payload }) =>
      channels[channel]?.onNotification(payload ?? ""),
    );
    try {
      await next.connect();
      await next.query(
        Object.keys(channels)
          .map((channel) => `listen ${channel}`)
          .join("; "),
      );
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

  /** An answer proves that the connection is alive; without one it is closed and replaced. */
  #beat(client: pg.Client): void {
    this.#provenAtMs = performance.now();
    this.#timer = setTimeout(() => {
      client.query("select 1").then(
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
    this.#timer = setTimeout(() => void this.connect(), retryMs);
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
