import type { Log } from "../platform/log.ts";

/** Collects the stop functions of started components. `stop` calls them in reverse order. */
export class Started {
  readonly #stops: (() => Promise<void>)[] = [];

  add(stop: () => Promise<void>): void {
    this.#stops.unshift(stop);
  }

  async stop(log: Log): Promise<void> {
    for (const stop of this.#stops.splice(0)) {
      await stop().catch((error) => log.warn({ err: error }, "a component did not stop cleanly"));
    }
  }
}
