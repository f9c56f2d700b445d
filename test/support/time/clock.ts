import type { Clock } from "../../../src/platform/clock.ts";

/** A clock controlled by the test. */
export class TestClock implements Clock {
  #nowMs: number;
  readonly #listeners: (() => void)[] = [];

  constructor(start = "2026-11-15T12:00:00.000Z") {
    this.#nowMs = Date.parse(start);
  }

  readonly now = (): Date => new Date(this.#nowMs);
  readonly nowMs = (): number => this.#nowMs;

  readonly onMove = (listener: () => void): void => {
    this.#listeners.push(listener);
  };

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const listener of this.#listeners) listener();
  }
}
