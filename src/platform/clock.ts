/** Time is passed in, so that a test can hold the clock in its hand. */
export interface Clock {
  readonly now: () => Date;
  readonly nowMs: () => number;
  /** Of a clock that is set by hand: tells those who sleep until a moment. */
  readonly onMove?: (listener: () => void) => void;
}

export const systemClock: Clock = { now: () => new Date(), nowMs: Date.now };
