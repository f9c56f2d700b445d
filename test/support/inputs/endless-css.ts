import { FilterThread } from "../../../src/sites/publishing/custom-css/page-css.ts";

export const endlessSheet = "/* endless */";

/**
 * Starts the product's thread for custom CSS, changed so that it never finishes one specific style
 * sheet.
 */
export function startEndlessThread(): FilterThread {
  const script = new URL("./endless-css-worker.ts", import.meta.url);
  return new FilterThread({ script, maxCpuMs: 1_000, checkEveryMs: 50 });
}
