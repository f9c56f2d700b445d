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
  /** While false, notifications may be missed, and caches must not be used. */
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
  /** Handlers by channel. One connection listens to all channels. */
  readonly channels: Readonly<Record<string, ChannelHandlers>>;
  readonly log: Log;
  readonly deadlines?: DatabaseDeadlines;
}

const retryMs = 500;

/**
 * Runs LISTEN on a separate connection that reconnects whenever it breaks. A connection can stop
 * responding without breaking, and a pooler may drop notifications. So the listener periodically
 * sends itself a notification, and counts as listening only while those arrive.
 */
class Listener implements Notifications {
  readonly #options: NotificationOptions;
  readonly #deadlines: DatabaseDeadlines;
  /** The newest connection, even while it is being opened. */
  #latest: pg.Client | null = null;
  #client: pg.Client | null = null;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #provenAtMs = Number.NEGATIVE_INFINITY;
  /** Channel and last received payload of the notifications to itself. */
  readonly #ownChannel = `line_${randomUUID().replaceAll("-", "")}`;
  #lastReceived = "";
  #isNotReceiving = false;

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
    next.on("error", (error) => log.debug({ err: error }, "the listening connection failed"));
    next.on("end", () => this.#lose(next));
    next.on("notification", ({ channel, payload = "" }) => {
      if (channel === this.#ownChannel) this.#lastReceived = payload;
      else channels[channel]?.onNotification(payload);
    });
    try {
      await next.connect();
      await next.query(
        [this.#ownChannel, ...Object.keys(channels)]
          .map((channel) => `listen ${channel}`)
          .join("; "),
      );
      await this.#verifyOwnNotification(next);
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

  /** PostgreSQL delivers a session's own notification before it accepts the next query. */
  async #verifyOwnNotification(client: pg.Client): Promise<void> {
    const payload = randomUUID();
    await client.query("select pg_notify($1, $2)", [this.#ownChannel, payload]);
    const isMissing = this.#lastReceived !== payload;
    if (isMissing && !this.#isNotReceiving) {
      this.#options.log.warn(
        "database notifications do not arrive, so caching is disabled: " +
          "a connection pooler must use session mode",
      );
    }
    this.#isNotReceiving = isMissing;
    if (isMissing) throw new Error("a notification did not arrive");
  }

  /** Closes and replaces a connection that does not receive its own notifications. */
  #beat(client: pg.Client): void {
    this.#provenAtMs = performance.now();
    this.#timer = setTimeout(() => {
      this.#verifyOwnNotification(client).then(
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
    const pauseMs = this.#isNotReceiving ? this.#deadlines.heartbeatEveryMs : retryMs;
    this.#timer = setTimeout(() => void this.connect(), pauseMs);
  }
}

async function endWithin(client: pg.Client, timeoutMs: number): Promise<void> {
  const cut = setTimeout(() => cutOff(client), timeoutMs);
  await client.end().catch(() => {});
  clearTimeout(cut);
}

export async function listenForNotifications(options: NotificationOptions): Promise<Notifications> {
  const listener = new Listener(options);
  await listener.connect();
  return listener;
}
