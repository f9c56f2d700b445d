import { measureContrast, mixColors } from "../color.ts";
import { defaultPalettes, type PagePalette } from "./theme.ts";

/** WCAG 2.2 level AA for text of ordinary size. */
const textContrast = 4.5;
/** WCAG 2.2 level AA for the shape of a control. */
const shapeContrast = 3;
const steps = 40;
const black = "#000000";
const white = "#FFFFFF";

/**
 * Moves a colour towards black or white, as little as needed to be readable on every background.
 */
function makeReadable(color: string, backgrounds: readonly string[], limit: string): string {
  for (let step = 0; step < steps; step += 1) {
    const moved = mixColors(color, limit, step / steps);
    if (backgrounds.every((one) => measureContrast(moved, one) >= textContrast)) return moved;
  }
  return limit;
}

const chooseInk = (background: string) =>
  measureContrast(white, background) >= textContrast ? white : black;

/** Shares of the brand colour in surfaces: visible, but not mistaken for a state. */
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

/** Derives the twelve colours of both themes from one; all text has contrast AA or better. */
export function deriveBrandPalettes(brand: string): {
  readonly light: PagePalette;
  readonly dark: PagePalette;
} {
  return { light: derivePalette(brand, "light"), dark: derivePalette(brand, "dark") };
}
