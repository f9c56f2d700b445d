/**
 * Colours, spacing, radii and fonts of the web application, status pages, dashboards, plain pages
 * and mails. `tokens.test.ts` verifies that text on its backgrounds has the contrast of WCAG level
 * AA.
 */

export interface ColorTokens {
  /** Backgrounds of the page, of cards, and of hovered or selected elements. */
  readonly ground: string;
  readonly card: string;
  readonly hover: string;
  readonly line: string;
  readonly ink: string;
  readonly muted: string;
  readonly accent: string;
  readonly onAccent: string;
  readonly accentTint: string;
  /** Colours of the states and of maintenance. Maintenance is not a state. */
  readonly good: string;
  readonly fair: string;
  readonly bad: string;
  readonly none: string;
  readonly maintenance: string;
  /** Colour of a symbol that is drawn on the colour of a state. */
  readonly mark: string;
  readonly goodTint: string;
  readonly fairTint: string;
  readonly badTint: string;
  /**
   * Colours of the days in the bars of a status page. `day` is the colour of a day without
   * problems. `empty` is the colour of a day without data.
   */
  readonly day: string;
  readonly empty: string;
  /** Background colours for white text, such as in the banners of status pages. */
  readonly goodGround: string;
  readonly fairGround: string;
  readonly partialGround: string;
  readonly badGround: string;
  readonly maintenanceGround: string;
  readonly noneGround: string;
  readonly shadow: string;
  /** Colours of the lines of charts. */
  readonly chart: string;
  readonly chartStrong: string;
  readonly chartBand: string;
}

export const colors: { readonly light: ColorTokens; readonly dark: ColorTokens } = {
  light: {
    ground: "#f4f6f8",
    card: "#ffffff",
    hover: "#eaeef3",
    line: "#dce2e9",
    ink: "#14202e",
    muted: "#536172",
    accent: "#1f57ab",
    onAccent: "#ffffff",
    accentTint: "#e4edf9",
    good: "#1a7a41",
    fair: "#965800",
    bad: "#bd1f1f",
    none: "#5f6c7b",
    maintenance: "#2b60b5",
    mark: "#ffffff",
    goodTint: "#e2f3e8",
    fairTint: "#fff3da",
    badTint: "#fdeae8",
    day: "#3aa56f",
    empty: "#d8dde4",
    goodGround: "#1a7547",
    fairGround: "#8a5a00",
    partialGround: "#a8460c",
    badGround: "#b3261e",
    maintenanceGround: "#2456a6",
    noneGround: "#55606e",
    shadow: "0 1px 2px rgb(15 23 42 / 5%), 0 4px 16px rgb(15 23 42 / 4%)",
    chart: "#5079b5",
    chartStrong: "#1f57ab",
    chartBand: "#d8e3f2",
  },
  dark: {
    ground: "#0d131a",
    card: "#151d27",
    hover: "#1e2834",
    line: "#2a3644",
    ink: "#e8eef5",
    muted: "#9aa9ba",
    accent: "#8ab6f5",
    onAccent: "#0b1420",
    accentTint: "#1b2c44",
    good: "#4fc27c",
    fair: "#f0b341",
    bad: "#ff7069",
    none: "#8b99a9",
    maintenance: "#7fb0f7",
    mark: "#0d131a",
    goodTint: "#132a1e",
    fairTint: "#2c2413",
    badTint: "#3a1c1e",
    day: "#2f8f5f",
    empty: "#333d49",
    goodGround: "#17603c",
    fairGround: "#754c00",
    partialGround: "#8c3c0c",
    badGround: "#96211b",
    maintenanceGround: "#1f4a8f",
    noneGround: "#45505d",
    shadow: "none",
    chart: "#6f9ad6",
    chartStrong: "#a4c7fa",
    chartBand: "#22354f",
  },
};

export const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", ' +
  '"Liberation Sans", sans-serif';
const codeFontFamily =
  'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

/**
 * Sizes of text, spacing and radii. The three text sizes are for figures and headings, for normal
 * text, and for secondary text.
 */
const sizes = {
  "text-large": "1.25rem",
  text: "0.875rem",
  "text-small": "0.75rem",
  "space-1": "0.25rem",
  "space-2": "0.5rem",
  "space-3": "0.75rem",
  "space-4": "1rem",
  "space-6": "1.5rem",
  "space-8": "2rem",
  radius: "6px",
  "radius-large": "10px",
  "row-height": "40px",
} as const;

function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function writeVariables(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `--${kebabCase(name)}:${value};`)
    .join("");
}

/**
 * Returns the CSS variables. The colours follow the system's colour scheme, unless `data-theme`
 * selects one.
 */
export function writeTokenStyles(): string {
  const { light, dark } = colors;
  const fonts = `--font:${fontFamily};--font-code:${codeFontFamily};`;
  const darkRules = `color-scheme:dark;${writeVariables(dark)}`;
  return [
    `:root{color-scheme:light;${writeVariables(light)}${writeVariables(sizes)}${fonts}}`,
    `@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){${darkRules}}}`,
    `:root[data-theme="dark"]{${darkRules}}`,
    "",
  ].join("\n");
}
