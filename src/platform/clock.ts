/** Time source, passed in so that tests can control it. */
export interface Clock {
  readonly now: () => Date;
  readonly nowMs: () => number;
  /** Calls a listener when the clock is corrected. Absent if the clock is never corrected. */
  readonly onMove?: (listener: () => void) => void;
}

/** Difference of two clocks that is ignored. The clocks of two machines with NTP differ by less. */
const toleranceMs = 100;

/**
 * The clock of this machine, corrected by the database's clock, so that timestamps of several
 * servers are comparable. No correction is applied while both clocks agree.
 */
export class FollowingClock implements Clock {
  /** The uncorrected clock of this machine. */
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

  /** Adopts a measured clock offset, unless the round trip of the measurement explains it. */
  follow(aheadMs: number, roundTripMs: number): void {
    if (Math.abs(aheadMs - this.#aheadMs) <= toleranceMs + roundTripMs / 2) return;
    const isSlight = Math.abs(aheadMs) <= toleranceMs + roundTripMs / 2;
    this.#aheadMs = isSlight ? 0 : Math.round(aheadMs);
    for (const listener of this.#listeners) listener();
  }
}

export const systemClock: Clock = { now: () => new Date(), nowMs: Date.now };
