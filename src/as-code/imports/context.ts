import type { StatesContext } from "../../runs/states/index.ts";
import type { ResourcesContext } from "../projects/index.ts";

export type ImportsContext = ResourcesContext & {
  /** Dependencies for replaying the alerts of imported checks. */
  readonly states: StatesContext;
  /** Limits how many files this server reads concurrently. */
  readonly readingSlots: ReadingSlots;
};

/** Limits the number of files that are read concurrently. */
export class ReadingSlots {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Reserves a slot until the result is disposed. Returns `null` if all slots are in use. */
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
