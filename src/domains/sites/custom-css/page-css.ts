import { invalid, KnownError } from "../../../platform/errors.ts";
import type { FilteredCss } from "./filter.ts";
import { filteredSheets } from "./filtered-sheets.ts";
import type { Sheet } from "./sheet.ts";

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
