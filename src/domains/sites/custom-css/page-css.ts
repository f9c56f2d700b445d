import { Type } from "typebox";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { invalid, KnownError } from "../../../platform/errors.ts";
import type { Sheet } from "./allowed.ts";
import type { FilteredCss } from "./filter.ts";
import { FilterThread } from "./filter-thread.ts";

const maxSheets = 50;

export const CssWarningList = Type.Array(
  Type.Object({
    line: Type.Integer({ description: "Line number, starting at 1." }),
    column: Type.Integer({ description: "Column number, starting at 1." }),
    message: Type.String({
      description: "What was removed, and why.",
      examples: ["removed: @import"],
    }),
  }),
  { description: "Parts of the style sheet that were removed, and why." },
);
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

/** Filters a sheet that is saved or previewed; errors refer to `field`. */
export async function filterPageCss(sheet: Sheet, field = "customCSS"): Promise<FilteredCss> {
  const filtered = await filteredSheets.read(sheet);
  if (filtered === null) throw invalid(field, "takes too long to parse");
  return filtered;
}

/** Returns the filtered form of a stored sheet, as served to visitors. */
export async function readPageCss(sheet: Sheet): Promise<string> {
  const filtered = await filteredSheets.read(sheet);
  if (filtered === null) throw new KnownError("unavailable");
  return filtered.css;
}
