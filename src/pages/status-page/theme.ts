import { hashText } from "./assets.ts";
import { defaultPalettes, type PagePalette } from "./palette.ts";

export interface ThemeColors {
  readonly light: PagePalette;
  readonly dark: PagePalette;
}

const color = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

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
