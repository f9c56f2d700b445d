import { checkUrl } from "../../platform/outbound-guard.ts";
import { parseCustomDomain, parsePageUrl } from "../sites/index.ts";
import type { StatusPageWish } from "./schema.ts";
import { type Palette, paletteColors, type StatusPageSettings } from "./status-page.ts";

export interface Fault {
  readonly key: string;
  readonly rule: string;
}

/** A page's wish, held against the rules that a schema cannot say; in the spelling to store. */
export type DecidedPage =
  | { readonly kind: "fault"; readonly fault: Fault }
  | { readonly kind: "settings"; readonly url: string; readonly settings: PlainSettings };

/** Everything but the pictures, which are looked at on their own. */
export type PlainSettings = Omit<StatusPageSettings, "logo" | "logoDark" | "favicon">;

const defaults: PlainSettings = {
  description: null,
  customDomain: null,
  themeColors: null,
  redirectTo: null,
  defaultTheme: "AUTO",
  whiteLabel: false,
};

/** Absent keeps what is stored; null goes back to the default. */
function given<Value>(wish: Value | null | undefined, stored: Value, fallback: Value): Value {
  return wish === undefined ? stored : (wish ?? fallback);
}

/** Only the twelve: what else a palette carries is ignored, as everywhere. */
function normalisePalette(palette: Palette): Palette {
  const colors = paletteColors.map((name) => [name, palette[name].toUpperCase()]);
  return Object.fromEntries(colors) as Palette;
}

function refuse(key: string, rule: string): DecidedPage {
  return { kind: "fault", fault: { key, rule } };
}

export function decidePageSettings(
  before: PlainSettings | null,
  wish: StatusPageWish,
  publicUrl: string,
): DecidedPage {
  const stored = before ?? defaults;
  const url = parsePageUrl(wish.url);
  if (url.kind === "invalid") return refuse("url", url.rule);
  const { redirectTo, themeColors } = wish;
  if (redirectTo && checkUrl(redirectTo).kind === "refused") {
    return refuse("redirectTo", "must be an http or https address");
  }
  const domain = wish.customDomain ? parseCustomDomain(wish.customDomain, publicUrl) : null;
  if (domain?.kind === "invalid") return refuse("customDomain", domain.rule);
  const customDomain = domain === null ? wish.customDomain : domain.domain;
  const colors = themeColors && {
    light: normalisePalette(themeColors.light),
    dark: normalisePalette(themeColors.dark),
  };
  return {
    kind: "settings",
    url: url.url,
    settings: {
      description: given(wish.description, stored.description, defaults.description),
      customDomain: given(customDomain, stored.customDomain, defaults.customDomain),
      themeColors: given(colors, stored.themeColors, defaults.themeColors),
      redirectTo: given(redirectTo, stored.redirectTo, defaults.redirectTo),
      defaultTheme: given(wish.defaultTheme, stored.defaultTheme, defaults.defaultTheme),
      whiteLabel: given(wish.whiteLabel, stored.whiteLabel, defaults.whiteLabel),
    },
  };
}
