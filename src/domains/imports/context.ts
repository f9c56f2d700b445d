import type { ResourcesContext } from "../projects/index.ts";
import type { StatesContext } from "../states/index.ts";

export type ImportsContext = ResourcesContext & {
  /** Replays the alerts of imported checks. */
  readonly states: StatesContext;
  /** Limits the files that this server reads at the same time. */
  readonly readingSlots: ReadingSlots;
};

/** A counter of files that are being read. */
export class ReadingSlots {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns `null` if all slots are used. */
  take(): Disposable | null {
    if (this.#used >= this.#most) return null;
    this.#used += 1;
    return {
      [Symbol.dispose]: () => {
        this.#used -= 1;
      },
    };
  }
}
