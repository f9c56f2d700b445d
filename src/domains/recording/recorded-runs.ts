/**
 * Notifies publishers when their results were processed. Used only with the in-process bus; a
 * durable bus has already taken over responsibility.
 */
export class RecordedRuns {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Must be called before publishing. */
  waitFor(runIds: readonly string[]): Promise<unknown> {
    return Promise.all(runIds.map((runId) => this.#waitForOne(runId)));
  }

  #waitForOne(runId: string): Promise<void> {
    return new Promise((resume) => {
      this.#waiting.set(runId, [...(this.#waiting.get(runId) ?? []), resume]);
    });
  }

  /** Must be called after the results were recorded or rejected permanently. */
  note(messages: readonly unknown[]): void {
    if (this.#waiting.size === 0) return;
    for (const message of messages) {
      const { runId } = message as { readonly runId: string };
      for (const resume of this.#waiting.get(runId) ?? []) resume();
      this.#waiting.delete(runId);
    }
  }
}
