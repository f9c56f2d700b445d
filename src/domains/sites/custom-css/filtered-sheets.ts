import type { FilteredCss } from "./filter.ts";
import { FilterThread } from "./filter-thread.ts";
import type { Sheet } from "./sheet.ts";

const maxSheets = 50;
const nothing: FilteredCss = { css: "", warnings: [] };

/** Filtered sheets by their scope and source; the least recently used are dropped. */
export class FilteredSheets {
  readonly #thread: Pick<FilterThread, "filter">;
  readonly #known = new Map<string, Promise<FilteredCss | null>>();

  constructor(thread: Pick<FilterThread, "filter">) {
    this.#thread = thread;
  }

  /** Null for a sheet that takes more time or memory than any may. */
  async read(sheet: Sheet): Promise<FilteredCss | null> {
    if (sheet.source === "") return nothing;
    const key = `${sheet.scope} ${sheet.source}`;
    const reading = this.#known.get(key) ?? this.#thread.filter(sheet);
    this.#known.delete(key);
    this.#known.set(key, reading);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxSheets && oldest !== undefined) this.#known.delete(oldest);
    let filtered: FilteredCss | null = null;
    try {
      filtered = await reading;
    } finally {
      // A later attempt may succeed: the machine may have been busy.
      if (filtered === null && this.#known.get(key) === reading) this.#known.delete(key);
    }
    return filtered;
  }
}

/** Filtered at every start anew, so that what a later version refuses is never served. */
export const filteredSheets = new FilteredSheets(new FilterThread());
