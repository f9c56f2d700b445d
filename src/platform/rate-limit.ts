import { BoundedMap } from "./bounded-map.ts";
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

/** Dependencies of all rate limits. */
export interface LimitTools {
  readonly clock: Clock;
  /** Returns the number of servers that share the limit; 1 by default. */
  readonly servers?: (() => number) | undefined;
}

/** Returns the share of one server in a limit for all servers. The share is at least 1. */
export function shareOf(limit: number, servers: number): number {
  return servers === 1 || limit === 0 ? limit : Math.max(1, Math.floor(limit / servers));
}

interface RateLimitOptions extends LimitTools {
  /** Maximum number of uses per key and window on all servers together; 0 for no limit. */
  readonly limit: number;
  readonly windowMs: number;
  /** Maximum number of keys. Above it, the oldest key is dropped, so that memory is bounded. */
  readonly maxKeys?: number;
}

/** Counts uses per key in fixed windows. A window starts with the first use of the key. */
export class RateLimit<Key extends string = string> {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #servers: () => number;
  readonly #windows: BoundedMap<Key, Window>;

  constructor(options: RateLimitOptions) {
    this.#limit = options.limit;
    this.#windowMs = options.windowMs;
    this.#clock = options.clock;
    this.#servers = options.servers ?? (() => 1);
    this.#windows = new BoundedMap(options.maxKeys ?? 20_000);
  }

  get isOff(): boolean {
    return this.#limit === 0;
  }

  take(key: Key, nowMs = this.#clock.nowMs()): Allowance {
    const window = this.#currentWindow(key, nowMs);
    window.used += 1;
    return this.#allowance(window, nowMs);
  }

  /** Returns the result that `take` would have, without counting a use. */
  peek(key: Key): Allowance {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.get(key);
    if (window === undefined || !this.#isOpen(window, nowMs)) {
      return this.#allowance({ used: 1, endsAtMs: nowMs + this.#windowMs }, nowMs);
    }
    return this.#allowance({ used: window.used + 1, endsAtMs: window.endsAtMs }, nowMs);
  }

  /** Subtracts a use that should not have been counted. */
  refund(key: Key): void {
    const window = this.#windows.get(key);
    if (window !== undefined) window.used = Math.max(0, window.used - 1);
  }

  /**
   * Whether a window is still open. If a window ends later than a new window would, the clock was
   * set back after the window was opened. Such a window does not count as open.
   */
  #isOpen(window: Window, nowMs: number): boolean {
    return window.endsAtMs > nowMs && window.endsAtMs <= nowMs + this.#windowMs;
  }

  #currentWindow(key: Key, nowMs: number): Window {
    const found = this.#windows.get(key);
    if (found !== undefined && this.#isOpen(found, nowMs)) return found;
    const opened = { used: 0, endsAtMs: nowMs + this.#windowMs };
    this.#windows.set(key, opened);
    return opened;
  }

  #allowance(window: Window, nowMs: number): Allowance {
    const limit = shareOf(this.#limit, this.#servers());
    return {
      allowed: this.isOff || window.used <= limit,
      limit,
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000)),
    };
  }
}
