import type { ServerResponse } from "node:http";
import { KnownError } from "../../../platform/errors.ts";

export interface ViewerLimits {
  readonly total: number;
  readonly perAddress: number;
  /** No viewer is told more often than this. */
  readonly quietMs: number;
}

export const defaultLimits: ViewerLimits = { total: 500, perAddress: 50, quietMs: 1_000 };

/** Somebody who has a dashboard open and hears of changes. */
export interface Viewer {
  readonly accountId: string;
  readonly address: string;
  /** Whether they may still look; asked when a key or a setting may have changed. */
  readonly mayStay: () => Promise<boolean>;
}

/** A viewer that reads nothing is gone, even if its connection is not closed yet. */
const maxUnsentBytes = 64 * 1_024;
const beatText = "event: beat\ndata: \n\n";
const changedText = "event: changed\ndata: \n\n";
const helloText = "retry: 5000\nevent: beat\ndata: \n\n";

/** Open streams to viewers. What is sent says only that there is something new to look at. */
export class Viewers {
  readonly #limits: ViewerLimits;
  readonly #viewers = new Map<ServerResponse, Viewer>();
  readonly #perAddress = new Map<string, number>();
  /** Accounts that were told a moment ago, and whether there has been more since. */
  readonly #quiet = new Map<string, { timer: NodeJS.Timeout; hasMore: boolean }>();
  readonly #toReview = new Set<string | null>();
  #isReviewing = false;
  #isClosed = false;

  constructor(limits: ViewerLimits = defaultLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#viewers.size;
  }

  /** Refuses before anything is written, so that the answer can still say why. */
  refuseExcess(address: string): void {
    const isFull = this.#isClosed || this.#viewers.size >= this.#limits.total;
    if (isFull) throw new KnownError("unavailable", { retryAfterSeconds: 30 });
    if ((this.#perAddress.get(address) ?? 0) >= this.#limits.perAddress) {
      throw new KnownError("tooManyRequests", { retryAfterSeconds: 30 });
    }
  }

  add(stream: ServerResponse, viewer: Viewer): void {
    // The client may have disconnected during authorisation; its stream never closes a second time.
    if (stream.destroyed) return;
    this.#viewers.set(stream, viewer);
    this.#perAddress.set(viewer.address, (this.#perAddress.get(viewer.address) ?? 0) + 1);
    stream.once("close", () => this.#remove(stream));
    stream.on("error", () => stream.destroy());
    this.#write(stream, Buffer.from(helloText));
  }

  #remove(stream: ServerResponse): void {
    const viewer = this.#viewers.get(stream);
    if (viewer === undefined) return;
    this.#viewers.delete(stream);
    const left = (this.#perAddress.get(viewer.address) ?? 1) - 1;
    if (left > 0) this.#perAddress.set(viewer.address, left);
    else this.#perAddress.delete(viewer.address);
  }

  #write(stream: ServerResponse, bytes: Buffer): void {
    if (stream.writableLength > maxUnsentBytes) stream.destroy();
    else stream.write(bytes);
  }

  /** So that proxies and viewers know the stream is alive. */
  beat(): void {
    const bytes = Buffer.from(beatText);
    for (const stream of this.#viewers.keys()) this.#write(stream, bytes);
  }

  /** The first change is sent at once, those right after it together. Null: every account. */
  tell(accountId: string | null): void {
    if (accountId === null) {
      for (const one of new Set([...this.#viewers.values()].map((viewer) => viewer.accountId))) {
        this.tell(one);
      }
      return;
    }
    const quiet = this.#quiet.get(accountId);
    if (quiet !== undefined) {
      quiet.hasMore = true;
      return;
    }
    const bytes = Buffer.from(changedText);
    let isHeard = false;
    for (const [stream, viewer] of this.#viewers) {
      if (viewer.accountId !== accountId) continue;
      this.#write(stream, bytes);
      isHeard = true;
    }
    if (isHeard) this.#beQuiet(accountId);
  }

  #beQuiet(accountId: string): void {
    const timer = setTimeout(() => {
      const hasMore = this.#quiet.get(accountId)?.hasMore ?? false;
      this.#quiet.delete(accountId);
      if (hasMore) this.tell(accountId);
    }, this.#limits.quietMs);
    this.#quiet.set(accountId, { timer, hasMore: false });
  }

  /**
   * Ends the streams of viewers who may no longer look. One review at a time: requests that
   * arrive meanwhile become one more review when it is over.
   */
  async review(accountId: string | null): Promise<void> {
    this.#toReview.add(accountId);
    if (this.#isReviewing) return;
    this.#isReviewing = true;
    for (let next = this.#takeReview(); next !== undefined; next = this.#takeReview()) {
      for (const [stream, viewer] of [...this.#viewers]) {
        if (next !== null && viewer.accountId !== next) continue;
        if (!(await viewer.mayStay().catch(() => false))) stream.destroy();
      }
    }
    this.#isReviewing = false;
  }

  #takeReview(): string | null | undefined {
    const [next] = this.#toReview;
    if (next !== undefined) this.#toReview.delete(next);
    return next;
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#quiet.values()) clearTimeout(timer);
    this.#quiet.clear();
    for (const stream of this.#viewers.keys()) stream.end();
  }
}
