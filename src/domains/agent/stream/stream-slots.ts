import { KnownError } from "../../../platform/errors.ts";

export interface StreamLimits {
  readonly perAccount: number;
  readonly total: number;
}

/** How many answers are under way, so that neither one account nor all of them take everything. */
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

  /** Gives back what ends the work; `release` must follow, and may more than once. */
  take(accountId: string): AbortController {
    const own = this.#byAccount.get(accountId) ?? 0;
    if (this.#isClosed) throw new KnownError("unavailable", { retryAfterSeconds: 2 });
    if (own >= this.#limits.perAccount || this.#open.size >= this.#limits.total) {
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

  /** Ends all of them, for a server that stops. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open.keys()) controller.abort("stopping");
  }
}
