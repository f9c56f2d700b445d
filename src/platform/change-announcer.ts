import { type Database, runPrepared } from "./database.ts";
import type { Log } from "./log.ts";

/** What is announced of an account together, at most; with more, only that there is more. */
const maxIds = 100;
/** Nothing waits longer than this, and no account is announced more often. */
const defaultEveryMs = 1_000;

/**
 * Announces frequent news in batches: one short statement every so often, outside the transactions
 * that make the news. A server that is killed before it has announced loses at most one batch, and
 * streams that break with it look at everything again.
 */
export class ChangeAnnouncer {
  readonly #db: Database;
  readonly #log: Log;
  readonly #topic: string;
  readonly #everyMs: number;
  /** By account; null: too many to name. */
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

  /** What waits is announced to the other servers before this one is gone. */
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
      // Streams hear of the next results; this one is not worth a second attempt.
      this.#log.debug({ err: error }, "changes could not be announced");
    }
  }
}
