import { clipText } from "../platform/text/clip.ts";
import { escapeHtml } from "./html.ts";
import { colors } from "./tokens.ts";

export const badgeStyles = ["flat", "plastic", "flat-square", "for-the-badge", "social"] as const;
export const badgeThemes = ["light", "dark", "default"] as const;

export interface Badge {
  readonly label: string;
  readonly value: string;
  readonly tone: "good" | "fair" | "bad" | "unknown";
  readonly style: (typeof badgeStyles)[number];
  readonly theme: (typeof badgeThemes)[number];
}

/** Background colours of the states. White text on each colour has a contrast of at least 4.5. */
const tones: Readonly<Record<Badge["tone"], string>> = {
  good: colors.light.good,
  fair: colors.light.fairGround,
  bad: colors.light.badGround,
  unknown: colors.light.none,
};
const grounds: Readonly<Record<Badge["theme"], { fill: string; ink: string }>> = {
  default: { fill: "#444c56", ink: "#ffffff" },
  dark: { fill: "#1b2430", ink: "#ffffff" },
  light: { fill: "#e4e9f0", ink: "#1b2430" },
};
const maxLabelLength = 60;
/** Characters that XML does not allow. One such character would make the whole image invalid. */
const unfitForXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Returns the approximate width of a text, in pixels. The SVG stretches the text to this width. */
function widthOf(text: string, isTall: boolean): number {
  const wide = [...text].reduce((sum, letter) => sum + (letter.charCodeAt(0) > 0xff ? 11 : 6.6), 0);
  return Math.ceil(isTall ? wide * 1.25 : wide) + (isTall ? 24 : 12);
}

function clip(text: string): string {
  return clipText(text.replaceAll(unfitForXml, "\ufffd"), maxLabelLength);
}

/** Renders a badge as SVG, without scripts, links or external styles. */
export function renderBadge(badge: Badge): string {
  const isTall = badge.style === "for-the-badge";
  const label = clip(isTall ? badge.label.toUpperCase() : badge.label);
  const value = clip(isTall ? badge.value.toUpperCase() : badge.value);
  const height = isTall ? 28 : 20;
  const radius = badge.style === "flat-square" || isTall ? 0 : badge.style === "social" ? 10 : 3;
  const left = widthOf(label, isTall);
  const right = widthOf(value, isTall);
  const { fill, ink } = grounds[badge.theme];
  const middle = height / 2 + 4;
  const text = (words: string, from: number, width: number, color: string) =>
    `<text x="${from + width / 2}" y="${middle}" fill="${color}" textLength="${width - 12}" ` +
    `lengthAdjust="spacingAndGlyphs">${escapeHtml(words)}</text>`;
  const gloss =
    badge.style === "plastic"
      ? `<rect width="${left + right}" height="${height / 2}" fill="#fff" opacity=".12"/>`
      : "";
  const title = escapeHtml(`${label}: ${value}`);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${height}" ` +
    `role="img" aria-label="${title}"><title>${title}</title>` +
    `<clipPath id="r"><rect width="${left + right}" height="${height}" rx="${radius}"/></clipPath>` +
    `<g clip-path="url(#r)"><rect width="${left}" height="${height}" fill="${fill}"/>` +
    `<rect x="${left}" width="${right}" height="${height}" fill="${tones[badge.tone]}"/>${gloss}</g>` +
    `<g text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">` +
    `${text(label, 0, left, ink)}${text(value, left, right, "#ffffff")}</g></svg>`
  );
}
