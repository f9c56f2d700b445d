import { setTimeout as wait } from "node:timers/promises";
import type { Change } from "./announcement.ts";

/** More ids of one type are reported as "many". */
export const maxIds = 100;

export type EndReason = "signed-out" | "stopping" | "time-over";

export type FeedEvent =
  | { readonly event: "hello" }
  | { readonly event: "changes"; readonly changes: readonly Omit<Change, "access">[] }
  | { readonly event: "resync" }
  | { readonly event: "beat" }
  | { readonly event: "end"; readonly reason: EndReason };

/** Pending changes for one reader. Bounded, even if many changes occur and the reader is slow. */
export class ChangeFeed {
  readonly #waiting = new Map<string, Set<string> | null>();
  #isResyncDue = false;
  #end: EndReason | null = null;
  #wake: (() => void) | null = null;

  add({ type, ids }: Change): void {
    const known = this.#waiting.get(type);
    if (known !== null) {
      const all = new Set([...(known ?? []), ...(ids ?? [])]);
      const isMany = ids === null || all.size > maxIds;
      this.#waiting.set(type, isMany ? null : all);
    }
    this.#wake?.();
  }

  /**
   * Changes may have been missed: the reader must fetch everything again, which covers pending
   * changes.
   */
  resync(): void {
    this.#isResyncDue = true;
    this.#waiting.clear();
    this.#wake?.();
  }

  end(reason: EndReason): void {
    this.#end ??= reason;
    this.#wake?.();
  }

  /** Returns `null` if nothing is pending. */
  take(): FeedEvent | null {
    if (this.#end !== null) return { event: "end", reason: this.#end };
    if (this.#isResyncDue) {
      this.#isResyncDue = false;
      return { event: "resync" };
    }
    if (this.#waiting.size === 0) return null;
    const changes = [...this.#waiting].map(([type, ids]) => ({ type, ids: ids && [...ids] }));
    this.#waiting.clear();
    return { event: "changes", changes };
  }

  /** Resolves when a change is pending, or after the timeout. */
  async #somethingOr(timeoutMs: number): Promise<void> {
    const timer = Promise.withResolvers<void>();
    this.#wake = timer.resolve;
    const timeout = setTimeout(timer.resolve, timeoutMs);
    await timer.promise;
    clearTimeout(timeout);
    this.#wake = null;
  }

  /**
   * The first change is sent at once, and those that follow shortly after are sent together. A beat
   * during silence shows readers and proxies that the stream is alive.
   */
  async *follow(times: {
    readonly quietMs: number;
    readonly beatMs: number;
  }): AsyncGenerator<FeedEvent> {
    yield { event: "hello" };
    while (true) {
      const isEmpty = this.#waiting.size === 0 && !this.#isResyncDue && this.#end === null;
      if (isEmpty) await this.#somethingOr(times.beatMs);
      const next: FeedEvent = this.take() ?? { event: "beat" };
      yield next;
      if (next.event === "end") return;
      if (next.event !== "beat") await wait(times.quietMs);
    }
  }
}
