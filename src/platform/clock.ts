/** Time is passed in, so that a test can hold the clock in its hand. */
export interface Clock {
  readonly now: () => Date;
}

export const systemClock: Clock = { now: () => new Date() };
