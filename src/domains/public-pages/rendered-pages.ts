import type { Clock } from "../../platform/clock.ts";
import { type CompressedBody, measureBody } from "./compressed-body.ts";

/** A rendered document, or the fact that there is none. */
export interface Rendered {
  /** Null if there is no such page. */
  readonly owner: {
    readonly accountId: string;
    readonly pageId: string;
    readonly isPrivate: boolean;
  } | null;
  /** Null if the page has no such document. */
  readonly body: CompressedBody | null;
}

interface Entry extends Rendered {
  readonly renderedAtMs: number;
  /** False: news may have been missed since. It is only shown while the database is away. */
  readonly isTrusted: boolean;
  readonly size: number;
}

export interface RenderedPagesOptions {
  readonly clock: Clock;
  /** While this is false, news may have been missed and nothing is trusted. */
  readonly isNewsOn: () => boolean;
  readonly maxEntries?: number;
  readonly maxBytes?: number;
}

/** Days pass and outages grow without a notification, so nothing is kept longer. */
const maxAgeMs = 30_000;
/** As long as proxies may show it while they cannot reach us. */
const maxStaleMs = 3_600_000;
const entryOverhead = 300;
const maxRememberedNews = 10_000;

/**
 * A cache of rendered documents. A change in an account drops its pages; concurrent requests share
 * one rendering. Bounded; the least recently used goes first.
 */
export class RenderedPages {
  readonly #options: RenderedPagesOptions;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Map<string, Promise<Rendered>>();
  readonly #lastNews = new Map<string, number>();
  #newsCount = 0;
  #allForgottenAt = 0;
  #bytes = 0;

  constructor(options: RenderedPagesOptions) {
    this.#options = options;
    this.#maxEntries = options.maxEntries ?? 5_000;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  /** Null if the database must be asked. */
  recall(key: string): Rendered | null {
    const entry = this.#entries.get(key);
    if (entry === undefined || !entry.isTrusted || !this.#options.isNewsOn()) return null;
    const ageMs = this.#options.clock.now().getTime() - entry.renderedAtMs;
    // A clock that is set back must not keep a page for hours.
    if (ageMs >= maxAgeMs || ageMs < 0) return null;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** The last rendering of a public page, for when the database is away. */
  recallStale(key: string): { readonly body: CompressedBody; readonly asOf: Date } | null {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.body === null || entry.owner?.isPrivate !== false) return null;
    const ageMs = this.#options.clock.now().getTime() - entry.renderedAtMs;
    if (ageMs >= maxStaleMs || ageMs < 0) return null;
    return { body: entry.body, asOf: new Date(entry.renderedAtMs) };
  }

  render(key: string, render: () => Promise<Rendered>): Promise<Rendered> {
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const begunAt = this.#newsCount;
    const renderedAtMs = this.#options.clock.now().getTime();
    const promise = render()
      .then((rendered) => {
        if (!this.#isOutdated(rendered, begunAt)) this.#keep(key, rendered, renderedAtMs);
        return rendered;
      })
      .finally(() => {
        if (this.#underWay.get(key) === promise) this.#underWay.delete(key);
      });
    this.#underWay.set(key, promise);
    return promise;
  }

  /** Null: any account's pages may have changed. */
  forget(accountId: string | null): void {
    this.#newsCount += 1;
    // Later requests must not get what was read before the change.
    this.#underWay.clear();
    if (accountId === null) this.#forgetAll();
    else this.#lastNews.set(accountId, this.#newsCount);
    if (this.#lastNews.size > maxRememberedNews) this.#forgetAll();
    for (const [key, { owner }] of this.#entries) {
      // A missing page may be a new page of any account.
      if (owner === null || owner.accountId === accountId) this.#drop(key);
    }
  }

  #forgetAll(): void {
    this.#allForgottenAt = this.#newsCount;
    this.#lastNews.clear();
    this.#entries.clear();
    this.#bytes = 0;
  }

  /** Whether it changed while it was being rendered. */
  #isOutdated({ owner }: Rendered, begunAt: number): boolean {
    if (this.#allForgottenAt > begunAt) return true;
    if (owner === null) return this.#newsCount > begunAt;
    return (this.#lastNews.get(owner.accountId) ?? 0) > begunAt;
  }

  #keep(key: string, rendered: Rendered, renderedAtMs: number): void {
    this.#drop(key);
    const { owner, body } = rendered;
    const size = entryOverhead + key.length + (body === null ? 0 : measureBody(body));
    const isTrusted = this.#options.isNewsOn();
    this.#entries.set(key, { owner, body, renderedAtMs, isTrusted, size });
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.size;
  }
}
