import { invalid, KnownError } from "../../../platform/errors.ts";
import type { FilteredCss } from "./filter.ts";
import { filteredSheets } from "./filtered-sheets.ts";
import type { Sheet } from "./sheet.ts";

/** Filters a sheet that is being saved or previewed; `field` is the one to blame. */
export async function filterPageCss(sheet: Sheet, field = "customCSS"): Promise<FilteredCss> {
  const filtered = await filteredSheets.read(sheet);
  if (filtered === null) throw invalid(field, "takes too long to read");
  return filtered;
}

/** Returns what visitors get of a stored sheet. */
export async function readPageCss(sheet: Sheet): Promise<string> {
  const filtered = await filteredSheets.read(sheet);
  if (filtered === null) throw new KnownError("unavailable");
  return filtered.css;
}
