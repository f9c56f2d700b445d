import { type Database, runPrepared } from "./database.ts";
import type { Log } from "./log.ts";

/** Maximum number of ids per account in one notification; with more, no ids are sent. */
const maxIds = 100;
/** Interval between notifications of one account, and their maximum delay. */
const defaultEveryMs = 1_000;

/** Change notifications on one PostgreSQL channel. */
export interface ChangeNotifications {
  /** Called with the payload, or with `null` if notifications may have been missed. */
  readonly onChange: (listener: (changed: string | null) => void) => void;
  /** While false, notifications may be missed, and nothing that depends on them may be cached. */
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
 * Batches frequent change notifications: one short statement per interval, outside the transactions
 * that make the changes. A server that is killed loses at most one batch; its clients reconnect and
 * re-fetch everything.
 */
export class ChangeAnnouncer {
  readonly #db: Database;
  readonly #log: Log;
  readonly #topic: string;
  readonly #everyMs: number;
  /** Changed ids by account; `null` if there are too many. */
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

  /** Sends the pending notifications to the other servers before this one stops. */
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
      // Not retried: clients are notified of the next results anyway.
      this.#log.debug({ err: error }, "failed to send change notifications");
    }
  }
}
