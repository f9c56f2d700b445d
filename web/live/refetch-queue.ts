/**
 * Limits the refetches caused by live updates, so that an idle tab sends few requests however much
 * changes. A token bucket: a burst of changes is shown immediately, a storm at a steady rate.
 */
import type { Query, QueryCacheNotifyEvent, QueryClient } from "@tanstack/query-core";

/** Together at most 30 requests in any minute: the burst, 20 refilled tokens, and first loads. */
const burst = 7;
const refillMs = 3_000;
/** Requests that cannot be delayed, such as polls, may overdraw the bucket by this number. */
const maxDebt = 10;
/** A user action refills the bucket, at most this often. */
const actPauseMs = 10_000;
/** Time to wait for responses in flight. */
const answerMs = 1_000;

export class RefetchQueue {
  readonly #client: QueryClient;
  readonly #isHidden: () => boolean;
  /** Hashes of stale queries. */
  readonly #stale = new Set<string>();
  #tokens = burst;
  #refilledAtMs = Date.now();
  #actedAtMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: QueryClient, isHidden: () => boolean) {
    this.#client = client;
    this.#isHidden = isHidden;
  }

  /** Counts the requests of all queries until the returned function is called. */
  start(): () => void {
    const stopCounting = this.#client.getQueryCache().subscribe((event) => this.#observe(event));
    return () => {
      stopCounting();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#stale.clear();
    };
  }

  /** Re-fetches queries on the screen as soon as the budget allows; others when they are shown. */
  add(predicate: (query: Query) => boolean): void {
    void this.#client.invalidateQueries({ predicate, refetchType: "none" });
    const shown = this.#client.getQueryCache().findAll({ predicate, type: "active" });
    for (const { queryHash } of shown) this.#stale.add(queryHash);
    this.drain();
  }

  /** Re-fetches the queries with the oldest data first, while there are tokens. */
  drain(): void {
    if (this.#isHidden() || this.#stale.size === 0) return;
    this.#refill();
    for (const query of this.#listStale()) {
      if (this.#tokens < 1) break;
      // A response in flight may predate the change, so the query is fetched again afterwards.
      if (query.state.fetchStatus === "fetching") continue;
      this.#stale.delete(query.queryHash);
      void this.#client.refetchQueries({ queryKey: query.queryKey, exact: true, type: "active" });
    }
    if (this.#stale.size === 0) return;
    const waitMs = this.#tokens < 1 ? (1 - this.#tokens) * refillMs : answerMs;
    this.#drainIn(waitMs);
  }

  #drainIn(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.drain(), Math.ceil(waitMs));
  }

  /** Takes a token for a request that is sent regardless of the budget. */
  count(): void {
    this.#refill();
    this.#tokens = Math.max(-maxDebt, this.#tokens - 1);
  }

  /** The user opened the tab, clicked or typed: refreshes the screen without delay. */
  readonly onAct = (): void => {
    const nowMs = Date.now();
    if (nowMs - this.#actedAtMs < actPauseMs) return;
    this.#actedAtMs = nowMs;
    this.#tokens = burst;
    this.drain();
  };

  #refill(): void {
    const nowMs = Date.now();
    const gained = Math.max(0, nowMs - this.#refilledAtMs) / refillMs;
    this.#tokens = Math.min(burst, this.#tokens + gained);
    this.#refilledAtMs = nowMs;
  }

  #listStale(): Query[] {
    const shown = this.#client.getQueryCache().findAll({ type: "active" });
    const found = shown.filter(({ queryHash }) => this.#stale.has(queryHash));
    const hashes = new Set(found.map(({ queryHash }) => queryHash));
    for (const hash of this.#stale) if (!hashes.has(hash)) this.#stale.delete(hash);
    return found.sort((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt);
  }

  /** Counts requests from any source. The first load of a screen is free. */
  #observe(event: QueryCacheNotifyEvent): void {
    if (event.type !== "updated") return;
    const { type } = event.action;
    if (type === "fetch") this.#stale.delete(event.query.queryHash);
    if (type === "success" && this.#stale.has(event.query.queryHash)) this.#drainIn(0);
    const isRequest = type === "fetch" || type === "failed";
    if (isRequest && event.query.state.data !== undefined) this.count();
  }
}
