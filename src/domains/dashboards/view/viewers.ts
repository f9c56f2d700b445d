import type { ServerResponse } from "node:http";
import { KnownError } from "../../../platform/errors.ts";

export interface ViewerLimits {
  readonly total: number;
  readonly perAddress: number;
  /** Minimum time between two notifications of a viewer. */
  readonly quietMs: number;
}

export const defaultLimits: ViewerLimits = { total: 500, perAddress: 50, quietMs: 1_000 };

/** A client that has a dashboard open and is notified of changes. */
export interface Viewer {
  readonly accountId: string;
  readonly address: string;
  /**
   * Returns whether the viewer still has access; called when a key or a setting may have changed.
   */
  readonly mayStay: () => Promise<boolean>;
}

/** A viewer that reads nothing is disconnected, even if its connection is still open. */
const maxUnsentBytes = 64 * 1_024;
const beatText = "event: beat\ndata: \n\n";
const changedText = "event: changed\ndata: \n\n";
const helloText = "retry: 5000\nevent: beat\ndata: \n\n";

/** Open event streams of viewers. Events only indicate that a new view is available. */
export class Viewers {
  readonly #limits: ViewerLimits;
  readonly #viewers = new Map<ServerResponse, Viewer>();
  readonly #perAddress = new Map<string, number>();
  /** Accounts that were notified recently, and whether there were more changes since. */
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

  /** Rejects before anything is written, so that the response can still contain the reason. */
  rejectExcess(address: string): void {
    const isFull = this.#isClosed || this.#viewers.size >= this.#limits.total;
    if (isFull) throw new KnownError("unavailable", { retryAfterSeconds: 30 });
    if ((this.#perAddress.get(address) ?? 0) >= this.#limits.perAddress) {
      throw new KnownError("tooManyRequests", { retryAfterSeconds: 30 });
    }
  }

  add(stream: ServerResponse, viewer: Viewer): void {
    // The client may have disconnected during authorisation; its stream emits no second close
    // event.
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

  /** Keeps the stream alive for proxies and viewers. */
  beat(): void {
    const bytes = Buffer.from(beatText);
    for (const stream of this.#viewers.keys()) this.#write(stream, bytes);
  }

  /**
   * Notifies viewers of an account, or of every account if `null`. The first change is sent
   * immediately, changes right after it are combined.
   */
  notify(accountId: string | null): void {
    if (accountId === null) {
      for (const one of new Set([...this.#viewers.values()].map((viewer) => viewer.accountId))) {
        this.notify(one);
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
      if (hasMore) this.notify(accountId);
    }, this.#limits.quietMs);
    this.#quiet.set(accountId, { timer, hasMore: false });
  }

  /**
   * Ends the streams of viewers who lost access. One review runs at a time: requests that arrive
   * meanwhile are combined into one more review.
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
