/**
 * Limits the refetches that live updates cause, so that an idle tab sends few requests even if much
 * changes. The limit is a token bucket: the first changes are shown immediately, and further
 * changes at a steady rate.
 */
import type { Query, QueryCacheNotifyEvent, QueryClient } from "@tanstack/query-core";

/**
 * Tokens of a full bucket. They limit an idle tab to about 30 requests per minute: 7 from a full
 * bucket, 20 from refilled tokens, and a few first loads, which need no token.
 */
const burst = 7;
const refillMs = 3_000;
/**
 * Maximum token deficit. A deficit occurs because some requests, such as polls, are sent even
 * without a token.
 */
const maxDebt = 10;
/** Minimum time between two user actions that fill the bucket. */
const actPauseMs = 10_000;
/** Delay before the next attempt to re-fetch queries that still have a running request. */
const answerMs = 1_000;

export class RefetchQueue {
  readonly #client: QueryClient;
  readonly #isHidden: () => boolean;
  /** Hashes of the queries that wait for a refetch. */
  readonly #stale = new Set<string>();
  #tokens = burst;
  #refilledAtMs = Date.now();
  #actedAtMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: QueryClient, isHidden: () => boolean) {
    this.#client = client;
    this.#isHidden = isHidden;
  }

  /** Counts the requests of all queries, and returns a function that stops counting. */
  start(): () => void {
    const stopCounting = this.#client.getQueryCache().subscribe((event) => this.#observe(event));
    return () => {
      stopCounting();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#stale.clear();
    };
  }

  /**
   * Invalidates queries. Queries on the screen are re-fetched as soon as tokens are available, and
   * other queries when they are shown.
   */
  add(predicate: (query: Query) => boolean): void {
    void this.#client.invalidateQueries({ predicate, refetchType: "none" });
    const shown = this.#client.getQueryCache().findAll({ predicate, type: "active" });
    for (const { queryHash } of shown) this.#stale.add(queryHash);
    this.drain();
  }

  /** Fetches waiting queries while tokens are available; the oldest data comes first. */
  drain(): void {
    if (this.#isHidden() || this.#stale.size === 0) return;
    this.#refill();
    for (const query of this.#listStale()) {
      if (this.#tokens < 1) break;
      // The response to a running request may predate the change, so the query stays in the queue.
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

  /** Takes a token for a request that is sent even if no token is available. */
  count(): void {
    this.#refill();
    this.#tokens = Math.max(-maxDebt, this.#tokens - 1);
  }

  /**
   * Fills the bucket when the user opens the tab, clicks or types, so that stale data is refreshed
   * immediately.
   */
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

  /** Counts requests of any query, except its first load. */
  #observe(event: QueryCacheNotifyEvent): void {
    if (event.type !== "updated") return;
    const { type } = event.action;
    if (type === "fetch") this.#stale.delete(event.query.queryHash);
    if (type === "success" && this.#stale.has(event.query.queryHash)) this.#drainIn(0);
    const isRequest = type === "fetch" || type === "failed";
    if (isRequest && event.query.state.data !== undefined) this.count();
  }
}
