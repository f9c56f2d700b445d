import type { Clock } from "../../../src/platform/clock.ts";

/** A clock controlled by the test. */
export class TestClock implements Clock {
  #nowMs: number;
  /**
   * Functions to call when the clock moves. The references are weak, because a test file holds its
   * clock and would otherwise hold the loops of stopped apps in memory.
   */
  readonly #listeners: WeakRef<() => void>[] = [];

  constructor(start = "2026-11-15T12:00:00.000Z") {
    this.#nowMs = Date.parse(start);
  }

  readonly now = (): Date => new Date(this.#nowMs);
  readonly nowMs = (): number => this.#nowMs;

  readonly onMove = (listener: () => void): void => {
    this.#listeners.push(new WeakRef(listener));
  };

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const listener of this.#listeners) listener.deref()?.();
  }
}
