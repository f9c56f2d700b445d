import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { colors, writeTokenStyles } from "../tokens.ts";

/**
 * A static file with a hash of its content. The hash is part of the URL, so the file at a URL never
 * changes.
 */
interface Asset {
  readonly text: string;
  readonly hash: string;
}

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}

function loadAsset(file: string, before = ""): Asset {
  const text = before + readFileSync(join(import.meta.dirname, file), "utf8");
  return { text, hash: hashText(text) };
}

export const pageStyle = loadAsset("page.css", writeTokenStyles());
export const bannerStyle = loadAsset("banner.css", writeTokenStyles());
export const pageScript = loadAsset("page.js");

/** Icon of status pages without their own favicon. */
export const pageIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="14" ' +
  `fill="${colors.light.goodGround}"/>` +
  '<path d="M9 16.5l5 5 9-11" fill="none" stroke="#fff" stroke-width="3.4" ' +
  'stroke-linecap="round" stroke-linejoin="round"/></svg>';
