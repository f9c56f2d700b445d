/**
 * Tells whoever waits that what it put on the bus has been dealt with. Only where the bus is part
 * of this process: a bus that outlives it has taken over already.
 */
export class RecordedRuns {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Ask before publishing. */
  waitFor(runIds: readonly string[]): Promise<unknown> {
    return Promise.all(runIds.map((runId) => this.#waitForOne(runId)));
  }

  #waitForOne(runId: string): Promise<void> {
    return new Promise((resume) => {
      this.#waiting.set(runId, [...(this.#waiting.get(runId) ?? []), resume]);
    });
  }

  /** They are recorded, or refused for good. */
  note(messages: readonly unknown[]): void {
    if (this.#waiting.size === 0) return;
    for (const message of messages) {
      const { runId } = message as { readonly runId: string };
      for (const resume of this.#waiting.get(runId) ?? []) resume();
      this.#waiting.delete(runId);
    }
  }
}
