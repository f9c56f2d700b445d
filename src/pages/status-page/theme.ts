import { hashText } from "./assets.ts";

const color = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

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

/** Default colours. A test checks the contrast of every pair of text and background (AA). */
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

/** Renders twelve variables; an invalid colour is omitted, so that the default applies. */
function renderVariables(colors: PagePalette): string {
  return Object.entries(colors)
    .filter(([name, value]) => /^[A-Za-z]+$/.test(name) && color.test(value))
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");
}

/** Renders the palettes as a file, because the page allows no inline style. */
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
