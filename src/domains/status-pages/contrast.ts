import { measureContrast } from "../../pages/status-page/theme.ts";
import type { Palette, PaletteColor } from "./status-page.ts";

/** WCAG 2.2 level AA for text of normal size (success criterion 1.4.3). */
export const neededContrast = 4.5;

type Pair = readonly [foreground: PaletteColor, background: PaletteColor];

/** Which text colour is used on which background. */
export const textPairs: readonly Pair[] = [
  ["titleFontColor", "bodyBackgroundColor"],
  ["titleFontColor", "cardBackgroundColor"],
  ["bodyFontColor", "bodyBackgroundColor"],
  ["bodyFontColor", "cardBackgroundColor"],
  ["bodyFontColorMuted", "bodyBackgroundColor"],
  ["bodyFontColorMuted", "cardBackgroundColor"],
  ["linkFontColor", "bodyBackgroundColor"],
  ["linkFontColor", "cardBackgroundColor"],
  ["headerFontColor", "headerBackgroundColor"],
  ["navigationFontColor", "headerBackgroundColor"],
  ["primaryButtonFontColor", "primaryButtonBackgroundColor"],
];

export interface ContrastWarning {
  readonly theme: "light" | "dark";
  readonly foreground: PaletteColor;
  readonly background: PaletteColor;
  /** Rounded down, so that it is never overstated. */
  readonly ratio: number;
  readonly needed: number;
}

function findPaletteWarnings(theme: "light" | "dark", palette: Palette): ContrastWarning[] {
  return textPairs.flatMap(([foreground, background]) => {
    const ratio = measureContrast(palette[foreground], palette[background]);
    if (ratio >= neededContrast) return [];
    const shown = Math.floor(ratio * 100) / 100;
    return [{ theme, foreground, background, ratio: shown, needed: neededContrast }];
  });
}

/** Finds text with insufficient contrast. Reported as warnings, not errors. */
export function findContrastWarnings(
  colors: { readonly light: Palette; readonly dark: Palette } | null,
): ContrastWarning[] {
  if (colors === null) return [];
  return [
    ...findPaletteWarnings("light", colors.light),
    ...findPaletteWarnings("dark", colors.dark),
  ];
}
