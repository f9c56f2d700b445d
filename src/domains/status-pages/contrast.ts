import type { Palette, PaletteColor } from "./status-page.ts";

/** Level AA of WCAG 2.2 for text of ordinary size (success criterion 1.4.3). */
export const neededContrast = 4.5;

type Pair = readonly [foreground: PaletteColor, background: PaletteColor];

/** Which text is read on which background. */
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
  /** Rounded down, so that it never claims too much. */
  readonly ratio: number;
  readonly needed: number;
}

function readChannels(color: string): readonly [number, number, number] {
  const digits = color.slice(1);
  const full = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  const value = Number.parseInt(full, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function linearise(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function measureLuminance(color: string): number {
  const [red, green, blue] = readChannels(color);
  return 0.2126 * linearise(red) + 0.7152 * linearise(green) + 0.0722 * linearise(blue);
}

/** From 1 (the same) to 21 (black on white), for two colours `#RGB` or `#RRGGBB`. */
export function measureContrast(one: string, other: string): number {
  const first = measureLuminance(one);
  const second = measureLuminance(other);
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

function findPaletteWarnings(theme: "light" | "dark", palette: Palette): ContrastWarning[] {
  return textPairs.flatMap(([foreground, background]) => {
    const ratio = measureContrast(palette[foreground], palette[background]);
    if (ratio >= neededContrast) return [];
    const shown = Math.floor(ratio * 100) / 100;
    return [{ theme, foreground, background, ratio: shown, needed: neededContrast }];
  });
}

/** Text that some people cannot read. A warning, not an error: it is their page. */
export function findContrastWarnings(
  colors: { readonly light: Palette; readonly dark: Palette } | null,
): ContrastWarning[] {
  if (colors === null) return [];
  return [
    ...findPaletteWarnings("light", colors.light),
    ...findPaletteWarnings("dark", colors.dark),
  ];
}
