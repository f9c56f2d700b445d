/** Time is passed in, so that a test can hold the clock in its hand. */
export interface Clock {
  readonly now: () => Date;
  readonly nowMs: () => number;
  /** Of a clock that is set by hand: tells those who sleep until a moment. */
  readonly onMove?: (listener: () => void) => void;
}

/** Less than this is noise; two machines that run NTP differ by less. */
const toleranceMs = 100;

/**
 * The clock of this machine, corrected towards that of the database: the moments that several
 * servers write are then comparable, whatever their own clocks say. While both agree, it is the
 * machine's own.
 */
export class FollowingClock implements Clock {
  /** The machine's own, as it is. */
  readonly ownMs: () => number;
  readonly #listeners: (() => void)[] = [];
  #aheadMs = 0;

  constructor(ownMs: () => number = Date.now) {
    this.ownMs = ownMs;
  }

  readonly nowMs = (): number => this.ownMs() - this.#aheadMs;
  readonly now = (): Date => new Date(this.nowMs());

  readonly onMove = (listener: () => void): void => {
    this.#listeners.push(listener);
  };

  /** Takes over what was measured where the time that the measuring took does not explain it. */
  follow(aheadMs: number, roundTripMs: number): void {
    if (Math.abs(aheadMs - this.#aheadMs) <= toleranceMs + roundTripMs / 2) return;
    const isSlight = Math.abs(aheadMs) <= toleranceMs + roundTripMs / 2;
    this.#aheadMs = isSlight ? 0 : Math.round(aheadMs);
    for (const listener of this.#listeners) listener();
  }
}

export const systemClock: Clock = { now: () => new Date(), nowMs: Date.now };
