import type { Clock } from "./clock.ts";
import { type Database, runPrepared } from "./database.ts";
import type { Log } from "./log.ts";
import { type Loop, startLoop } from "./loop.ts";

/**
 * Rows of a table that a loop processes when they are due. The properties of this type are parts of
 * an SQL query.
 */
export interface WorkQueue {
  readonly table: string;
  /** SQL expression for the due time of a row. Without it, every row is due immediately. */
  readonly dueAt?: string;
  /** SQL condition for rows that wait to be processed; by default all rows. */
  readonly where?: string;
}

/** Registers a queue, so that the loop of the queue can sleep until a row is due. */
export type WatchQueue = (queue: WorkQueue) => (wake: () => void) => void;

interface Watcher {
  readonly queue: WorkQueue;
  readonly wake: () => void;
}

interface QueueRow {
  readonly place: number;
  readonly is_due: boolean;
  readonly next_at: Date | null;
}

/** Interval of polling, which limits the delay of a row whose notification was missed. */
const pollEveryMs = 5_000;
/** Minimum time between two queries. Several changes within this time cause only one query. */
const restMs = 100;
const noWakeMs = Number.POSITIVE_INFINITY;

/** Due time of rows in a queue without `dueAt`: such rows are always due. */
const always = "'-infinity'::timestamptz";

function describeQueue({ table, dueAt = always, where }: WorkQueue, place: number): string {
  const rows = `from ${table} where ${where ?? "true"} and ${dueAt}`;
  return `select ${place} as place, exists (select 1 ${rows} <= $1::timestamptz) as is_due,
    (select min(${dueAt}) ${rows} > $1::timestamptz) as next_at`;
}

/**
 * Finds the next due time of all queues with one query. If each loop polled for itself several
 * times a second, this would be most of the cost of an idle server. The calendar polls when the
 * database notifies of a change, when the next row is due, and every few seconds in any case.
 */
export class WorkCalendar {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #watchers: Watcher[] = [];
  #nextAtMs = noWakeMs;
  #poll = () => {};

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  readonly watch: WatchQueue = (queue) => (wake) => {
    this.#watchers.push({ queue, wake });
  };

  /** Requests a poll, because a row may have become due. */
  readonly pollSoon = (): void => this.#poll();

  /** Starts polling. Must be called after all loops have been started. */
  start(log: Log): Loop {
    return startLoop({
      name: "poll the work queues",
      everyMs: pollEveryMs,
      restMs,
      log,
      turn: () => this.#wakeDue(),
      sleepMs: () => this.#nextAtMs - this.#clock.now().getTime(),
      onWork: (wake) => {
        this.#poll = wake;
        this.#clock.onMove?.(wake);
      },
    });
  }

  async #wakeDue(): Promise<void> {
    const text = this.#watchers
      .map(({ queue }, place) => describeQueue(queue, place))
      .join("\nunion all ");
    if (text === "") return;
    const values = [this.#clock.now()];
    const rows = await runPrepared<QueueRow>(this.#db, { name: "look-for-work", text, values });
    this.#nextAtMs = Math.min(...rows.map(({ next_at }) => next_at?.getTime() ?? noWakeMs));
    for (const { place, is_due } of rows) if (is_due) this.#watchers[place]?.wake();
  }
}
