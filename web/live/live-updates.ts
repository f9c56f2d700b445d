/** Opens one event stream per window and invalidates the queries of changed objects. */
import type { QueryClient } from "@tanstack/react-query";
import { openEventStream, type StreamEvent, StreamRejected } from "../api/event-stream.ts";
import {
  findRetryMs,
  type Invalidation,
  isAffected,
  isUrgent,
  joinInvalidations,
} from "./invalidation.ts";
import { RefetchQueue } from "./refetch-queue.ts";

export interface LiveState {
  /** Time when the stream was interrupted; `null` while it is connected. */
  readonly cutSinceMs: number | null;
  /** Whether queries are polled while the stream is interrupted. */
  readonly isPolling: boolean;
}

const urgentMs = 300;
const calmMs = 5_000;
const pollMs = 10_000;
/** How long a tab may be hidden before its stream is closed. */
const hiddenTimeoutMs = 30_000;
/** DOM events that show that the user is active in the tab. */
const acts = ["pointerdown", "keydown"] as const;

const live: LiveState = { cutSinceMs: null, isPolling: false };

export class LiveUpdates {
  readonly #queryClient: QueryClient;
  readonly #queue: RefetchQueue;
  readonly #listeners = new Set<() => void>();
  #state: LiveState = live;
  #stream: AbortController | null = null;
  #waiting: Invalidation = new Map();
  #renewTimer: ReturnType<typeof setTimeout> | undefined;
  #renewAtMs = Number.POSITIVE_INFINITY;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #hideTimer: ReturnType<typeof setTimeout> | undefined;
  #pollTimer: ReturnType<typeof setInterval> | undefined;
  #failures = 0;
  #isStopped = true;
  #wasLive = false;

  constructor(queryClient: QueryClient) {
    this.#queryClient = queryClient;
    this.#queue = new RefetchQueue(queryClient, () => document.hidden);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): LiveState => this.#state;

  readonly start = (): (() => void) => {
    this.#isStopped = false;
    const stopQueue = this.#queue.start();
    document.addEventListener("visibilitychange", this.#onVisibility);
    addEventListener("online", this.#connectNow);
    for (const type of acts) addEventListener(type, this.#queue.onAct, { passive: true });
    this.#connectNow();
    return () => {
      this.#isStopped = true;
      document.removeEventListener("visibilitychange", this.#onVisibility);
      removeEventListener("online", this.#connectNow);
      for (const type of acts) removeEventListener(type, this.#queue.onAct);
      for (const timer of [this.#renewTimer, this.#retryTimer, this.#hideTimer]) {
        clearTimeout(timer);
      }
      this.#renewTimer = undefined;
      this.#stopPolling();
      this.#disconnect();
      stopQueue();
      this.#show(live);
    };
  };

  #show(state: LiveState): void {
    const { cutSinceMs, isPolling } = this.#state;
    if (cutSinceMs === state.cutSinceMs && isPolling === state.isPolling) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Closes the stream of a tab that stays hidden, because browsers limit the number of connections
   * per host.
   */
  readonly #onVisibility = (): void => {
    clearTimeout(this.#hideTimer);
    if (document.hidden) {
      this.#hideTimer = setTimeout(() => this.#disconnect(), hiddenTimeoutMs);
      return;
    }
    if (this.#stream === null) this.#connectNow();
    else this.#renewSoon(0);
    this.#queue.onAct();
  };

  #disconnect(): void {
    const stream = this.#stream;
    this.#stream = null;
    stream?.abort();
  }

  readonly #connectNow = (): void => {
    if (this.#isStopped || document.hidden || this.#stream !== null) return;
    clearTimeout(this.#retryTimer);
    const stream = new AbortController();
    this.#stream = stream;
    this.#queue.count();
    void this.#follow(stream);
  };

  async #follow(stream: AbortController): Promise<void> {
    let status = 0;
    try {
      for await (const event of openEventStream(stream.signal)) this.#handle(event);
    } catch (error) {
      if (error instanceof StreamRejected) status = error.status;
    }
    // This stream was closed on purpose, and a new one may be open, so no reconnection is needed.
    if (this.#stream !== stream) return;
    this.#stream = null;
    this.#lose(status);
  }

  #handle(event: StreamEvent): void {
    if (event.event === "hello") {
      this.#failures = 0;
      this.#stopPolling();
      this.#show(live);
    }
    if (event.event === "hello" || event.event === "resync") {
      // Data that was loaded before the stream opened may be out of date.
      this.#queue.add(isAlive);
      if (!this.#wasLive) this.#queue.onAct();
      this.#wasLive = true;
    }
    if (event.event === "changes") {
      this.#waiting = joinInvalidations(this.#waiting, event.changes);
      this.#renewSoon(isUrgent(event.changes) ? urgentMs : calmMs);
    }
    if (event.event === "end" && event.reason === "signed-out") {
      void this.#queryClient.invalidateQueries({ queryKey: ["session"] });
    }
  }

  #renewSoon(delayMs: number): void {
    if (document.hidden || this.#waiting.size === 0) return;
    const atMs = performance.now() + delayMs;
    if (this.#renewTimer !== undefined && this.#renewAtMs <= atMs) return;
    clearTimeout(this.#renewTimer);
    this.#renewAtMs = atMs;
    this.#renewTimer = setTimeout(() => {
      this.#renewTimer = undefined;
      if (document.hidden) return;
      const invalidation = this.#waiting;
      this.#waiting = new Map();
      this.#queue.add((query) => isAffected(invalidation, query));
    }, delayMs);
  }

  #lose(status: number): void {
    if (this.#isStopped || status === 401) return;
    this.#failures += 1;
    const cutSinceMs = this.#state.cutSinceMs ?? Date.now();
    // Queries are polled if the server responds but provides no stream. If the server is
    // unreachable, polling is useless.
    const isPolling = status !== 0;
    this.#show({ cutSinceMs, isPolling });
    if (isPolling) this.#startPolling();
    else this.#stopPolling();
    this.#retryTimer = setTimeout(this.#connectNow, findRetryMs(this.#failures, Math.random()));
  }

  #startPolling(): void {
    this.#pollTimer ??= setInterval(() => {
      if (document.hidden) return;
      this.#queue.add(isAlive);
    }, pollMs);
  }

  #stopPolling(): void {
    clearInterval(this.#pollTimer);
    this.#pollTimer = undefined;
  }
}

/**
 * Excludes the session, and the queries of open editors, whose data must not change while the user
 * edits.
 */
function isAlive({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return !["editor", "kind-editor", "session"].includes(String(queryKey[0]));
}
