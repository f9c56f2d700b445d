import type { Clock } from "../../platform/clock.ts";

interface Kept {
  readonly text: Promise<string>;
  readonly untilMs: number;
  length: number;
}

/** How long a reply is reused. */
export const keptSeconds = 30;
const maxKeptLength = 64_000_000;

/** Recent replies and replies in progress. The oldest are evicted beyond the size limit. */
export class ReplyCache {
  readonly #clock: Clock;
  readonly #replies = new Map<string, Kept>();
  #length = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string, write: () => Promise<string>): Promise<string> {
    const nowMs = this.#clock.nowMs();
    const known = this.#replies.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.text;
    this.#forget(key);
    for (const [old, { untilMs }] of this.#replies) if (untilMs <= nowMs) this.#forget(old);
    const text = write();
    const kept: Kept = { text, untilMs: nowMs + keptSeconds * 1_000, length: 0 };
    this.#replies.set(key, kept);
    text.then(
      ({ length }) => this.#measure(key, kept, length),
      () => {
        if (this.#replies.get(key) === kept) this.#forget(key);
      },
    );
    return text;
  }

  #measure(key: string, kept: Kept, length: number): void {
    if (this.#replies.get(key) !== kept) return;
    kept.length = length;
    this.#length += length;
    // A Map keeps insertion order, so the first key is the oldest.
    for (const oldest of this.#replies.keys()) {
      if (this.#length <= maxKeptLength) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#length -= this.#replies.get(key)?.length ?? 0;
    this.#replies.delete(key);
  }
}
