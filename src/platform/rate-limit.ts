import type { Clock } from "./clock.ts";

export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

interface Window {
  used: number;
  endsAtMs: number;
}

export interface RateLimitOptions {
  /** 0 switches the limit off. */
  readonly limit: number;
  readonly windowMs: number;
  readonly clock: Clock;
  /** Beyond this many keys the oldest is forgotten, so that memory stays bounded. */
  readonly maxKeys?: number;
}

/** Counts uses per key in fixed windows that begin with a key's first use. */
export class RateLimit<Key extends string = string> {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #maxKeys: number;
  readonly #windows = new Map<Key, Window>();

  constructor(options: RateLimitOptions) {
    this.#limit = options.limit;
    this.#windowMs = options.windowMs;
    this.#clock = options.clock;
    this.#maxKeys = options.maxKeys ?? 20_000;
  }

  get isOff(): boolean {
    return this.#limit === 0;
  }

  take(key: Key): Allowance {
    const nowMs = this.#clock.nowMs();
    const window = this.#currentWindow(key, nowMs);
    window.used += 1;
    return this.#allowance(window, nowMs);
  }

  /** What `take` would answer, without counting. */
  peek(key: Key): Allowance {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.get(key);
    if (window === undefined || !this.#isOpen(window, nowMs)) {
      return this.#allowance({ used: 1, endsAtMs: nowMs + this.#windowMs }, nowMs);
    }
    return this.#allowance({ used: window.used + 1, endsAtMs: window.endsAtMs }, nowMs);
  }

  /** Takes one use back: it was no use of the kind that is counted. */
  giveBack(key: Key): void {
    const window = this.#windows.get(key);
    if (window !== undefined) window.used = Math.max(0, window.used - 1);
  }

  /** A window that ends later than a new one would was opened before the clock was set back. */
  #isOpen(window: Window, nowMs: number): boolean {
    return window.endsAtMs > nowMs && window.endsAtMs <= nowMs + this.#windowMs;
  }

  #currentWindow(key: Key, nowMs: number): Window {
    const found = this.#windows.get(key);
    if (found !== undefined && this.#isOpen(found, nowMs)) return found;
    const opened = { used: 0, endsAtMs: nowMs + this.#windowMs };
    // Deleting first keeps the map in order of opening, so the first entry is always the oldest.
    this.#windows.delete(key);
    this.#windows.set(key, opened);
    if (this.#windows.size > this.#maxKeys) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    return opened;
  }

  #allowance(window: Window, nowMs: number): Allowance {
    return {
      allowed: this.isOff || window.used <= this.#limit,
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - window.used),
      resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000)),
    };
  }
}
