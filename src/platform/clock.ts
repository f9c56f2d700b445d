/** Time source. It is passed to functions and classes, so that tests can control the time. */
export interface Clock {
  readonly now: () => Date;
  readonly nowMs: () => number;
  /** Adds a listener for corrections of the clock. Absent if the clock is never corrected. */
  readonly onMove?: (listener: () => void) => void;
}

/** Maximum clock difference that is not corrected. Clocks with NTP differ by less. */
const toleranceMs = 100;

/**
 * The clock of this machine, corrected to the database's clock, so that timestamps of several
 * servers are comparable. While both clocks agree, no correction is applied.
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

  /**
   * Adopts a measured clock offset. Ignores a change that is smaller than the tolerance plus the
   * error of the measurement, which is up to half the round trip.
   */
  follow(aheadMs: number, roundTripMs: number): void {
    if (Math.abs(aheadMs - this.#aheadMs) <= toleranceMs + roundTripMs / 2) return;
    const isSlight = Math.abs(aheadMs) <= toleranceMs + roundTripMs / 2;
    this.#aheadMs = isSlight ? 0 : Math.round(aheadMs);
    for (const listener of this.#listeners) listener();
  }
}

export const systemClock: Clock = { now: () => new Date(), nowMs: Date.now };
