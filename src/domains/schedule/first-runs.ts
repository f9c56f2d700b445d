import { nextDueAtMs } from "./schedule.ts";
import type { Watched } from "./watch-list.ts";

/** A check that is due within this time just waits. */
const soonMs = 10_000;
/** More new checks than this within `soonMs` are a bulk change, whose runs are spread. */
const maxAtOnce = 100;

/**
 * Selects the new and activated checks that run at once. Without it, the first result of an hourly
 * check may take an hour. Checks beyond the limit wait for their due times, so that an import of
 * thousands causes no burst.
 */
export class FirstRuns {
  readonly #checkIds = new Set<string>();
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** Returns whether the check is to run at once. */
  offer({ checkId, plan }: Watched, nowMs: number): boolean {
    if (nextDueAtMs(plan, nowMs) - nowMs <= soonMs) return false;
    // A window that starts later than now was opened before the clock was set back.
    if (nowMs < this.#windowStartMs || nowMs - this.#windowStartMs >= soonMs) {
      this.#windowStartMs = nowMs;
      this.#count = 0;
    }
    if (this.#count >= maxAtOnce) return false;
    this.#count += 1;
    this.#checkIds.add(checkId);
    return true;
  }

  /** Returns whether the run that is due is the first one, and forgets it. */
  take(checkId: string): boolean {
    return this.#checkIds.delete(checkId);
  }
}
