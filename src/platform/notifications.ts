import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import pg from "pg";
import { type Database, runPrepared } from "./database.ts";
import {
  clientOptions,
  cutOff,
  type DatabaseConnection,
  type DatabaseDeadlines,
  defaultDeadlines,
} from "./database-pool.ts";
import type { Log } from "./log.ts";

/**
 * Maximum number of ids per account in one notification. If there are more, the notification
 * contains no ids.
 */
const maxIds = 100;
/** Interval between two notifications about one account, and maximum delay of a notification. */
const defaultEveryMs = 1_000;

const retryMs = 500;

/** Notifications about changes. They arrive through one PostgreSQL channel. */
export interface ChangeNotifications {
  /**
   * Adds a listener for payloads. The listener receives `null` if notifications may have been
   * missed.
   */
  readonly onChange: (listener: (changed: string | null) => void) => void;
  /** Whether notifications are received. If false, caches that depend on them must not be used. */
  readonly isOn: () => boolean;
}

/** Forwards notifications to any number of listeners. */
export class ChangeChannel implements ChangeNotifications {
  readonly #listeners: ((changed: string | null) => void)[] = [];
  readonly isOn: () => boolean;

  constructor(isOn: () => boolean) {
    this.isOn = isOn;
  }

  readonly onChange = (listener: (changed: string | null) => void): void => {
    this.#listeners.push(listener);
  };

  readonly onNotification = (changed: string | null): void => {
    for (const listener of this.#listeners) listener(changed);
  };

  readonly onGap = (): void => this.onNotification(null);
}

/**
 * Sends change notifications in batches: one short statement per interval, outside the transactions
 * that make the changes. If a server is killed, at most one batch is lost.
 */
export class ChangeAnnouncer {
  readonly #db: Database;
  readonly #log: Log;
  readonly #topic: string;
  readonly #everyMs: number;
  /** Changed ids by account; `null` for an account with more than `maxIds` changed ids. */
  #waiting = new Map<string, Set<string> | null>();
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(db: Database, log: Log, topic: string, everyMs = defaultEveryMs) {
    this.#db = db;
    this.#log = log;
    this.#topic = topic;
    this.#everyMs = everyMs;
  }

  add(accountId: string, id: string): void {
    if (this.#isStopped) return;
    const known = this.#waiting.get(accountId);
    if (known === null) return;
    if (known === undefined) this.#waiting.set(accountId, new Set([id]));
    else if (known.size < maxIds) known.add(id);
    else if (!known.has(id)) this.#waiting.set(accountId, null);
    this.#timer ??= setTimeout(() => {
      this.#underWay = this.#flush();
    }, this.#everyMs);
  }

  /** Sends the pending notifications. Called when this server stops. */
  readonly stop = async (): Promise<void> => {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
    await this.#flush();
  };

  async #flush(): Promise<void> {
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (waiting.size === 0) return;
    this.#waiting = new Map();
    const messages = [...waiting].map(([accountId, ids]) =>
      JSON.stringify([accountId, this.#topic, ids && [...ids]]),
    );
    try {
      await runPrepared(this.#db, {
        name: "announce-changes",
        text: "select pg_notify('changes', message) from unnest($1::text[]) as message",
        values: [messages],
      });
    } catch (error) {
      // Do not retry a failed notification, because the next change triggers another one.
      this.#log.debug({ err: error }, "failed to send change notifications");
    }
  }
}

export interface Notifications {
  /** Whether notifications are received. If false, caches must not be used. */
  readonly isListening: () => boolean;
  readonly stop: () => Promise<void>;
}

interface ChannelHandlers {
  readonly onNotification: (payload: string) => void;
  /** Called after each connect, because notifications may have been missed before. */
  readonly onGap: () => void;
}

interface NotificationOptions {
  readonly connection: DatabaseConnection;
  /** Handlers by the name of their channel. One connection listens to all channels. */
  readonly channels: Readonly<Record<string, ChannelHandlers>>;
  readonly log: Log;
  readonly deadlines?: DatabaseDeadlines;
}

/**
 * Listens for notifications on a separate connection, which is replaced when it breaks. A
 * connection can also stop responding without breaking, and a pooler may drop notifications. The
 * listener therefore sends a notification to itself at intervals, and `isListening` is true only
 * while these notifications arrive.
 */
class Listener implements Notifications {
  readonly #options: NotificationOptions;
  readonly #deadlines: DatabaseDeadlines;
  /** The newest connection. It may not be connected yet. */
  #latest: pg.Client | null = null;
  #client: pg.Client | null = null;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #provenAtMs = Number.NEGATIVE_INFINITY;
  /** Channel on which this listener notifies itself. */
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

  /**
   * Sends a notification to this listener and checks that it has arrived. PostgreSQL delivers the
   * notifications of a session to the session itself before it accepts the next query.
   */
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

  /**
   * Verifies the connection at intervals, and destroys it if the listener's own notification does
   * not arrive.
   */
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
