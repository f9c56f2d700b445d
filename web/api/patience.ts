/** How long a person should wait for an answer. */
export const patienceMs = 30_000;

/** Gives up on a server that says nothing. Whoever asked may give up sooner by `outer`. */
export class Patience {
  readonly signal: AbortSignal;
  readonly #limit = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer?: AbortSignal) {
    const own = this.#limit.signal;
    this.signal = outer === undefined ? own : AbortSignal.any([outer, own]);
  }

  /** From now on for this long. */
  start(limitMs: number = patienceMs): void {
    clearTimeout(this.#timer);
    // A timer of the page, unlike `AbortSignal.timeout`, follows the page's clock in tests.
    this.#timer = setTimeout(() => {
      this.#limit.abort(new DOMException("The server did not answer.", "TimeoutError"));
    }, limitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
