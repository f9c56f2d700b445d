import { KnownError } from "../errors.ts";
import { shareOf } from "../rate-limit.ts";

interface StreamLimits {
  /** Maximum number of streams per account on all servers together. */
  readonly perAccount: number;
  /** Maximum number of streams on this server. */
  readonly total: number;
  /** Returns the number of servers that share an account's limit; 1 by default. */
  readonly servers?: (() => number) | undefined;
}

/** Limits the concurrent streams of each account and of the server. */
export class StreamSlots {
  readonly #limits: StreamLimits;
  readonly #open = new Map<AbortController, string>();
  readonly #byAccount = new Map<string, number>();
  #isClosed = false;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Reserves a slot for a stream and returns a controller that aborts the stream. Callers must call
   * `release` when the stream ends; further calls have no effect.
   */
  take(accountId: string): AbortController {
    const own = this.#byAccount.get(accountId) ?? 0;
    if (this.#isClosed) throw new KnownError("unavailable", { retryAfterSeconds: 2 });
    const { perAccount, total, servers } = this.#limits;
    if (own >= shareOf(perAccount, servers?.() ?? 1) || this.#open.size >= total) {
      throw new KnownError("tooManyRequests", { retryAfterSeconds: 5 });
    }
    const controller = new AbortController();
    this.#open.set(controller, accountId);
    this.#byAccount.set(accountId, own + 1);
    return controller;
  }

  release(controller: AbortController): void {
    const accountId = this.#open.get(controller);
    if (accountId === undefined) return;
    this.#open.delete(controller);
    const own = (this.#byAccount.get(accountId) ?? 1) - 1;
    if (own <= 0) this.#byAccount.delete(accountId);
    else this.#byAccount.set(accountId, own);
  }

  /** Aborts all streams and rejects new ones, before the server stops. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open.keys()) controller.abort("stopping");
  }
}
