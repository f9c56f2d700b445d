import { hashText } from "./static-files.ts";

/** Functions for colours in the format `#RGB` or `#RRGGBB`. */

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

/** Returns the contrast ratio of two colours, from 1 (same colour) to 21 (black on white). */
export function measureContrast(one: string, other: string): number {
  const first = measureLuminance(one);
  const second = measureLuminance(other);
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** Mixes two colours. `share` is the share of the second colour, from 0 to 1. */
function mixColors(one: string, other: string, share: number): string {
  const from = readChannels(one);
  const to = readChannels(other);
  const mixed = from.map((channel, index) => {
    const value = Math.round(channel + ((to[index] ?? 0) - channel) * share);
    return value.toString(16).padStart(2, "0");
  });
  return `#${mixed.join("")}`.toUpperCase();
}

const color = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Minimum contrast of text of normal size in WCAG 2.2 level AA (success criterion 1.4.3). */
export const textContrast = 4.5;
/** Minimum contrast between a control and its background in WCAG 2.2 level AA. */
const shapeContrast = 3;
const steps = 40;
const black = "#000000";
const white = "#FFFFFF";

/** The twelve colours of a page in one theme, each `#RGB` or `#RRGGBB`. */
export interface PagePalette {
  readonly bodyBackgroundColor: string;
  readonly headerBackgroundColor: string;
  readonly headerFontColor: string;
  readonly titleFontColor: string;
  readonly bodyFontColor: string;
  readonly bodyFontColorMuted: string;
  readonly navigationFontColor: string;
  readonly linkFontColor: string;
  readonly cardBackgroundColor: string;
  readonly borderColor: string;
  readonly primaryButtonBackgroundColor: string;
  readonly primaryButtonFontColor: string;
}

/** Default colours. A test verifies that all text has the contrast of WCAG level AA. */
export const defaultPalettes: { readonly light: PagePalette; readonly dark: PagePalette } = {
  light: {
    bodyBackgroundColor: "#F6F7F9",
    headerBackgroundColor: "#FFFFFF",
    headerFontColor: "#15202E",
    titleFontColor: "#15202E",
    bodyFontColor: "#2C3848",
    bodyFontColorMuted: "#566273",
    navigationFontColor: "#3B485A",
    linkFontColor: "#1A5FB4",
    cardBackgroundColor: "#FFFFFF",
    borderColor: "#DCE1E8",
    primaryButtonBackgroundColor: "#1A5FB4",
    primaryButtonFontColor: "#FFFFFF",
  },
  dark: {
    bodyBackgroundColor: "#0F141B",
    headerBackgroundColor: "#151B24",
    headerFontColor: "#F1F4F8",
    titleFontColor: "#F1F4F8",
    bodyFontColor: "#D2D9E3",
    bodyFontColorMuted: "#9AA6B6",
    navigationFontColor: "#C2CBD8",
    linkFontColor: "#84B6FF",
    cardBackgroundColor: "#171E28",
    borderColor: "#2A3442",
    primaryButtonBackgroundColor: "#84B6FF",
    primaryButtonFontColor: "#0B1220",
  },
};

export interface ThemeColors {
  readonly light: PagePalette;
  readonly dark: PagePalette;
}

/**
 * Renders the colours as CSS variables. Omits invalid colours, so that the default colours apply.
 */
function renderVariables(colors: PagePalette): string {
  return Object.entries(colors)
    .filter(([name, value]) => /^[A-Za-z]+$/.test(name) && color.test(value))
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");
}

/** Renders the palettes as a CSS file, because the security policy allows no inline styles. */
export function renderTheme(colors: ThemeColors | null): string {
  const light = renderVariables({ ...defaultPalettes.light, ...colors?.light });
  const dark = renderVariables({ ...defaultPalettes.dark, ...colors?.dark });
  return (
    `:root{${light}}\n[data-theme=dark]{${dark}}\n` +
    `@media (prefers-color-scheme:dark){[data-theme=auto]{${dark}}}\n`
  );
}

export function hashTheme(colors: ThemeColors | null): string {
  return hashText(renderTheme(colors));
}

/** Moves a colour towards black or white, as little as needed to be readable on all backgrounds. */
function makeReadable(color: string, backgrounds: readonly string[], limit: string): string {
  for (let step = 0; step < steps; step += 1) {
    const moved = mixColors(color, limit, step / steps);
    if (backgrounds.every((one) => measureContrast(moved, one) >= textContrast)) return moved;
  }
  return limit;
}

const chooseInk = (background: string) =>
  measureContrast(white, background) >= textContrast ? white : black;

/**
 * Shares of the brand colour that are mixed into the default colours of a page, from 0 to 1. The
 * shares are small, so that a mixed colour is not mistaken for the colour of a state, such as the
 * red of an outage.
 */
const tints = {
  light: { surface: 0.04, header: 0, card: 0, line: 0.14, ink: 0.12 },
  dark: { surface: 0.05, header: 0.06, card: 0.06, line: 0.14, ink: 0.08 },
} as const;

function derivePalette(brand: string, theme: "light" | "dark"): PagePalette {
  const base = defaultPalettes[theme];
  const tint = tints[theme];
  const limit = theme === "light" ? black : white;
  const body = mixColors(base.bodyBackgroundColor, brand, tint.surface);
  const card = mixColors(base.cardBackgroundColor, brand, tint.card);
  const header = mixColors(base.headerBackgroundColor, brand, tint.header);
  const inkOn = (color: string, ...backgrounds: readonly string[]) =>
    makeReadable(mixColors(color, brand, tint.ink), backgrounds, limit);
  const link = makeReadable(brand, [body, card], limit);
  const isButtonVisible = [card, header].every(
    (one) => measureContrast(brand, one) >= shapeContrast,
  );
  const button = isButtonVisible ? mixColors(brand, brand, 0) : link;
  return {
    bodyBackgroundColor: body,
    headerBackgroundColor: header,
    headerFontColor: inkOn(base.headerFontColor, header),
    titleFontColor: inkOn(base.titleFontColor, body, card),
    bodyFontColor: inkOn(base.bodyFontColor, body, card),
    bodyFontColorMuted: inkOn(base.bodyFontColorMuted, body, card),
    navigationFontColor: inkOn(base.navigationFontColor, header),
    linkFontColor: link,
    cardBackgroundColor: card,
    borderColor: mixColors(base.borderColor, brand, tint.line),
    primaryButtonBackgroundColor: button,
    primaryButtonFontColor: chooseInk(button),
  };
}

/** Derives the colours of both themes from the brand colour. All text has at least AA contrast. */
export function deriveBrandPalettes(brand: string): {
  readonly light: PagePalette;
  readonly dark: PagePalette;
} {
  return { light: derivePalette(brand, "light"), dark: derivePalette(brand, "dark") };
}

type Pair = readonly [foreground: keyof PagePalette, background: keyof PagePalette];

/** Pairs of text colours and the backgrounds on which they are used. */
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
  readonly foreground: keyof PagePalette;
  readonly background: keyof PagePalette;
  /** Contrast ratio. It is rounded down, so that it is never overstated. */
  readonly ratio: number;
  readonly needed: number;
}

function findPaletteWarnings(theme: "light" | "dark", palette: PagePalette): ContrastWarning[] {
  return textPairs.flatMap(([foreground, background]) => {
    const ratio = measureContrast(palette[foreground], palette[background]);
    if (ratio >= textContrast) return [];
    const shown = Math.floor(ratio * 100) / 100;
    return [{ theme, foreground, background, ratio: shown, needed: textContrast }];
  });
}

/**
 * Returns text colours with insufficient contrast. Callers treat them as warnings, not as errors.
 */
export function findContrastWarnings(colors: ThemeColors | null): ContrastWarning[] {
  if (colors === null) return [];
  return [
    ...findPaletteWarnings("light", colors.light),
    ...findPaletteWarnings("dark", colors.dark),
  ];
}
