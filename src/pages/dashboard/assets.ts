import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { colors, writeTokenStyles } from "../tokens.ts";

function load(name: string, before = ""): { readonly text: string; readonly version: string } {
  const text = before + readFileSync(join(import.meta.dirname, name), "utf8");
  return { text, version: createHash("sha256").update(text).digest("hex").slice(0, 12) };
}

const css = load("dashboard.css", writeTokenStyles());
const js = load("dashboard.js");

/** Favicon of a dashboard without its own image. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" ' +
  `fill="${colors.light.accent}"/>` +
  '<path d="M5 18h6l3-9 5 15 3-6h5" fill="none" stroke="#fff" stroke-width="2.6" ' +
  'stroke-linecap="round" stroke-linejoin="round"/></svg>';

export const stylesheet = css.text;
export const script = js.text;
/** Part of the URL, so that each version can be cached forever. */
export const assetVersions = { css: css.version, js: js.version } as const;
