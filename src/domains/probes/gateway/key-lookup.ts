import type { Database } from "../../../platform/database.ts";
import { type AdmittedKey, mapProbeKeys } from "../../locations/index.ts";

interface Waiting {
  readonly text: string;
  readonly found: PromiseWithResolvers<AdmittedKey | null>;
}

/** Maximum number of keys per query. */
const batchSize = 1_000;

/**
 * Looks up probe keys in batches, one query at a time. Any number of wrong keys uses only one
 * database connection, and a valid key waits at most for the current batch.
 */
export class KeyLookup {
  readonly #db: Database;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(db: Database) {
    this.#db = db;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  find(text: string): Promise<AdmittedKey | null> {
    const found = Promise.withResolvers<AdmittedKey | null>();
    this.#waiting.push({ text, found });
    if (!this.#isBusy) void this.#run();
    return found.promise;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize);
      try {
        const keys = await mapProbeKeys(
          this.#db,
          batch.map(({ text }) => text),
        );
        for (const { text, found } of batch) found.resolve(keys.get(text) ?? null);
      } catch (error) {
        for (const { found } of batch) found.reject(error);
      }
    }
    this.#isBusy = false;
  }
}
