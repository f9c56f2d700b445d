import { KnownError } from "../errors.ts";
import { shareOf } from "../rate-limit.ts";

export interface StreamLimits {
  /** Over all servers. */
  readonly perAccount: number;
  /** On this one. */
  readonly total: number;
  /** How many servers share what an account may have; one by default. */
  readonly servers?: (() => number) | undefined;
}

/** Limits how many answers run at once, per account and in total. */
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

  /** Returns the controller that ends the work; call `release` afterwards, once or more. */
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

  /** Ends all of them when the server stops. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open.keys()) controller.abort("stopping");
  }
}
