/**
 * Clock and timers of a page, which only the test advances. Before the next timer is due, the clock
 * waits for the work that the previous timer started, such as a request.
 */
interface Timer {
  readonly run: () => void;
  readonly everyMs: number | null;
  atMs: number;
}

export class PageClock {
  readonly #timers = new Map<number, Timer>();
  #lastId = 0;
  nowMs: number;

  constructor(now: Date) {
    this.nowMs = now.getTime();
  }

  #add(run: () => void, ms: number, isRepeated: boolean): number {
    this.#lastId += 1;
    const everyMs = isRepeated ? Math.max(1, ms) : null;
    this.#timers.set(this.#lastId, { run, everyMs, atMs: this.nowMs + ms });
    return this.#lastId;
  }

  #findNext(untilMs: number): readonly [id: number, timer: Timer] | null {
    const due = [...this.#timers].filter(([, { atMs }]) => atMs <= untilMs);
    return due.sort(([, one], [, other]) => one.atMs - other.atMs)[0] ?? null;
  }

  /** Runs all timers that are due within this time, in order. */
  async runFor(ms: number, settle: () => Promise<void>): Promise<void> {
    const untilMs = this.nowMs + ms;
    for (let next = this.#findNext(untilMs); next !== null; next = this.#findNext(untilMs)) {
      const [id, timer] = next;
      this.nowMs = Math.max(this.nowMs, timer.atMs);
      if (timer.everyMs === null) this.#timers.delete(id);
      else timer.atMs += timer.everyMs;
      timer.run();
      await settle();
    }
    this.nowMs = untilMs;
  }

  clear(): void {
    this.#timers.clear();
  }

  /** Returns the globals of a page that depend on time. */
  listGlobals(timeZone: string): Readonly<Record<string, unknown>> {
    const now = () => this.nowMs;
    class PageDate extends Date {
      constructor(...given: [] | [number | string]) {
        super(...((given.length === 0 ? [now()] : given) as [number]));
      }
      static override now = now;
    }
    // Uses the reader's time zone by default instead of the time zone of the test process.
    class PageFormat extends Intl.DateTimeFormat {
      constructor(locale?: string, options: Intl.DateTimeFormatOptions = {}) {
        super(locale ?? "en-GB", { timeZone, ...options });
      }
    }
    const clear = (id: number) => void this.#timers.delete(id);
    return {
      Date: PageDate,
      Intl: { RelativeTimeFormat: Intl.RelativeTimeFormat, DateTimeFormat: PageFormat },
      setTimeout: (run: () => void, ms = 0) => this.#add(run, ms, false),
      setInterval: (run: () => void, ms = 0) => this.#add(run, ms, true),
      clearTimeout: clear,
      clearInterval: clear,
    };
  }
}
