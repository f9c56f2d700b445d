import { checkUrl } from "../../platform/outbound-guard.ts";
import { parseCustomDomain, parsePageUrl } from "../publishing/index.ts";
import {
  type PageLink,
  type Palette,
  paletteColors,
  type StatusPage,
  type StatusPageInput,
  type StatusPageSettings,
} from "./status-page.ts";

interface Fault {
  readonly key: string;
  readonly rule: string;
}

/**
 * Result of validating the settings of a page with the rules that a schema cannot express. Valid
 * settings are normalised.
 */
type DecidedPage =
  | { readonly kind: "fault"; readonly fault: Fault }
  | {
      readonly kind: "settings";
      readonly url: string;
      readonly isPrivate: boolean;
      readonly settings: PlainSettings;
    };

/** All settings except the images, which are stored separately. */
type PlainSettings = Omit<StatusPageSettings, "logo" | "logoDark" | "favicon">;

const defaults: PlainSettings = {
  description: null,
  customDomain: null,
  themeColors: null,
  redirectTo: null,
  defaultTheme: "AUTO",
  whiteLabel: false,
  brandColor: null,
  customCSS: "",
  headerLinks: [],
  footerText: null,
  footerLinks: [],
  historyDays: 90,
  allowIndexing: true,
  googleAnalyticsTag: null,
};

/** Completes stored settings with defaults for settings that were added later. */
export function completeSettings(stored: Partial<StatusPageSettings>): StatusPageSettings {
  return { ...defaults, logo: null, logoDark: null, favicon: null, ...stored };
}

/** Merges one setting: `undefined` keeps the stored value, `null` resets it to the default. */
function merge<Value>(input: Value | null | undefined, stored: Value, fallback: Value): Value {
  return input === undefined ? stored : (input ?? fallback);
}

/** Returns a palette in upper case without unknown fields. */
function normalisePalette(palette: Palette): Palette {
  const colors = paletteColors.map((name) => [name, palette[name].toUpperCase()]);
  return Object.fromEntries(colors) as Palette;
}

const mailLink = /^mailto:[^\s@?]+@[^\s@?]+$/i;

function findLinkFault(
  field: "headerLinks" | "footerLinks",
  links: readonly PageLink[],
): Fault | null {
  const index = links.findIndex(
    ({ url }) => checkUrl(url).kind === "refused" && !mailLink.test(url),
  );
  if (index < 0) return null;
  const rule = "must be an http or https URL, or mailto: with an email address";
  return { key: `${field}.${index}.url`, rule };
}

const toLinks = (links: readonly PageLink[]) => links.map(({ name, url }) => ({ name, url }));

type LookSettings = Pick<
  StatusPageSettings,
  "brandColor" | "customCSS" | "headerLinks" | "footerText" | "footerLinks" | "historyDays"
>;

function mergeLook(input: StatusPageInput, stored: LookSettings): LookSettings {
  const { headerLinks, footerLinks } = input;
  const brandColor = input.brandColor === null ? null : input.brandColor?.toUpperCase();
  return {
    brandColor: merge(brandColor, stored.brandColor, defaults.brandColor),
    customCSS: merge(input.customCSS, stored.customCSS, defaults.customCSS),
    headerLinks: merge(headerLinks && toLinks(headerLinks), stored.headerLinks, []),
    footerText: merge(input.footerText, stored.footerText, defaults.footerText),
    footerLinks: merge(footerLinks && toLinks(footerLinks), stored.footerLinks, []),
    historyDays: merge(input.historyDays, stored.historyDays, defaults.historyDays),
  };
}

function rejectField(key: string, rule: string): DecidedPage {
  return { kind: "fault", fault: { key, rule } };
}

export function decidePageSettings(
  before: Pick<StatusPage, "settings" | "isPrivate"> | null,
  input: StatusPageInput,
  publicUrl: string,
): DecidedPage {
  const stored = before?.settings ?? defaults;
  const url = parsePageUrl(input.url);
  if (url.kind === "invalid") return rejectField("url", url.rule);
  const { redirectTo, themeColors } = input;
  if (redirectTo && checkUrl(redirectTo).kind === "refused") {
    return rejectField("redirectTo", "must be an http or https URL");
  }
  const linkFault =
    findLinkFault("headerLinks", input.headerLinks ?? []) ??
    findLinkFault("footerLinks", input.footerLinks ?? []);
  if (linkFault !== null) return { kind: "fault", fault: linkFault };
  const domain = input.customDomain ? parseCustomDomain(input.customDomain, publicUrl) : null;
  if (domain?.kind === "invalid") return rejectField("customDomain", domain.rule);
  const customDomain = domain === null ? input.customDomain : domain.domain;
  const colors = themeColors && {
    light: normalisePalette(themeColors.light),
    dark: normalisePalette(themeColors.dark),
  };
  return {
    kind: "settings",
    url: url.url,
    isPrivate: merge(input.isPrivate, before?.isPrivate ?? false, false),
    settings: {
      description: merge(input.description, stored.description, defaults.description),
      customDomain: merge(customDomain, stored.customDomain, defaults.customDomain),
      themeColors: merge(colors, stored.themeColors, defaults.themeColors),
      redirectTo: merge(redirectTo, stored.redirectTo, defaults.redirectTo),
      defaultTheme: merge(input.defaultTheme, stored.defaultTheme, defaults.defaultTheme),
      whiteLabel: merge(input.whiteLabel, stored.whiteLabel, defaults.whiteLabel),
      allowIndexing: merge(input.allowIndexing, stored.allowIndexing, defaults.allowIndexing),
      googleAnalyticsTag: merge(input.googleAnalyticsTag, stored.googleAnalyticsTag, null),
      ...mergeLook(input, stored),
    },
  };
}
