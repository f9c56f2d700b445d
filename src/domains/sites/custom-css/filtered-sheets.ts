import { BoundedMap } from "../../../platform/bounded-map.ts";
import type { FilteredCss } from "./filter.ts";
import { FilterThread } from "./filter-thread.ts";
import type { Sheet } from "./sheet.ts";

const maxSheets = 50;
const nothing: FilteredCss = { css: "", warnings: [] };

/** Cache of filtered sheets by scope and source; the least recently used are evicted. */
export class FilteredSheets {
  readonly #thread: Pick<FilterThread, "filter">;
  readonly #known = new BoundedMap<string, Promise<FilteredCss | null>>(maxSheets);

  constructor(thread: Pick<FilterThread, "filter">) {
    this.#thread = thread;
  }

  /** Returns `null` for a sheet that exceeds the time or memory limit. */
  async read(sheet: Sheet): Promise<FilteredCss | null> {
    if (sheet.source === "") return nothing;
    const key = `${sheet.scope} ${sheet.source}`;
    const reading = this.#known.getOrCreate(key, () => this.#thread.filter(sheet));
    let filtered: FilteredCss | null = null;
    try {
      filtered = await reading;
    } finally {
      // Not cached, because a later attempt may succeed on a less busy machine.
      if (filtered === null && this.#known.get(key) === reading) this.#known.delete(key);
    }
    return filtered;
  }
}

/**
 * In memory only: sheets are filtered again after each start, so that what a later version rejects
 * is never served.
 */
export const filteredSheets = new FilteredSheets(new FilterThread());
