/** Default time to wait for a response. */
export const requestTimeoutMs = 30_000;

/** Aborts a request when the server does not respond in time, or when `outer` aborts. */
export class RequestTimeout {
  readonly signal: AbortSignal;
  readonly #limit = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer?: AbortSignal) {
    const own = this.#limit.signal;
    this.signal = outer === undefined ? own : AbortSignal.any([outer, own]);
  }

  /** Starts or restarts the timer. */
  start(limitMs: number = requestTimeoutMs): void {
    clearTimeout(this.#timer);
    // Unlike `AbortSignal.timeout`, a page timer follows the mocked clock in tests.
    this.#timer = setTimeout(() => {
      this.#limit.abort(new DOMException("The server did not answer.", "TimeoutError"));
    }, limitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
