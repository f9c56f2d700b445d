import type { Clock } from "./clock.ts";
import { type Database, runPrepared } from "./database.ts";
import type { Log } from "./log.ts";
import { type Loop, startLoop } from "./loop.ts";

/** Rows of a table that wait for a loop. All three are SQL, written by the room that owns it. */
export interface WorkQueue {
  readonly table: string;
  /** The column with the moment a row is due; without one it is due at once. */
  readonly dueAt?: string;
  /** Which rows wait; all of them by default. */
  readonly where?: string;
}

/** Lets a loop sleep until rows of its queue are due. */
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

/** A notification that was missed costs this long at most. */
const lookEveryMs = 5_000;
/** Changes within this time cause one query. */
const restMs = 100;
const noWakeMs = Number.POSITIVE_INFINITY;

/** Rows without a moment of their own are due since ever. */
const always = "'-infinity'::timestamptz";

function describeQueue({ table, dueAt = always, where }: WorkQueue, place: number): string {
  const rows = `from ${table} where ${where ?? "true"} and ${dueAt}`;
  return `select ${place} as place, exists (select 1 ${rows} <= $1::timestamptz) as is_due,
    (select min(${dueAt}) ${rows} > $1::timestamptz) as next_at`;
}

/**
 * Knows when something is due, of all queues, by one query: each loop asking for itself, several
 * times a second, is most of what a quiet server would cost. It looks when the database says that
 * a queue has changed, at the moment when the next row is due, and every few seconds in any case.
 */
export class WorkCalendar {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #watchers: Watcher[] = [];
  #nextAtMs = noWakeMs;
  #look = () => {};

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  readonly watch: WatchQueue = (queue) => (wake) => {
    this.#watchers.push({ queue, wake });
  };

  /** Something may have become due, now or for later. */
  readonly lookSoon = (): void => this.#look();

  /** To be called when every loop has been started. */
  start(log: Log): Loop {
    return startLoop({
      name: "look for work",
      everyMs: lookEveryMs,
      restMs,
      log,
      turn: () => this.#wakeDue(),
      sleepMs: () => this.#nextAtMs - this.#clock.now().getTime(),
      onWork: (wake) => {
        this.#look = wake;
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
