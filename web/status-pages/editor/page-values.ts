import type { StatusPage, StatusPageInput } from "../page-types.ts";

/** What the editor holds: a page as people set it. The rest of a page has tabs of its own. */
export type PageValues = {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly redirectTo: string;
  readonly whiteLabel: boolean;
  readonly defaultTheme: StatusPage["defaultTheme"];
  readonly themeColors: ThemeColors | null;
  /** `null` if the page has the usual colours, or colours of its own. */
  readonly brandColor: string | null;
  readonly customCSS: string;
  readonly headerLinks: readonly LinkValues[];
  readonly footerText: string;
  readonly footerLinks: readonly LinkValues[];
  readonly historyDays: StatusPage["historyDays"];
  /** An address, or the picture itself as a data URL; null: none. */
  readonly logo: string | null;
  readonly logoDark: string | null;
  readonly favicon: string | null;
  readonly cards: readonly CardValues[];
};

export type LinkValues = StatusPage["footerLinks"][number];

export type CardValues = {
  /** Names the card while it is edited; that of a stored card is its id. */
  readonly key: string;
  readonly id: string | null;
  readonly name: string;
  readonly serviceIds: readonly string[];
};

export type ThemeColors = NonNullable<StatusPage["themeColors"]>;
export type Palette = ThemeColors["light"];

export const pictureFields = ["logo", "logoDark", "favicon"] as const;
export type PictureField = (typeof pictureFields)[number];

export function toValues(page: StatusPage): PageValues {
  return {
    name: page.name,
    url: page.url,
    description: page.description ?? "",
    redirectTo: page.redirectTo ?? "",
    whiteLabel: page.whiteLabel,
    defaultTheme: page.defaultTheme,
    themeColors: page.themeColors,
    brandColor: page.brandColor,
    customCSS: page.customCSS,
    headerLinks: page.headerLinks,
    footerText: page.footerText ?? "",
    footerLinks: page.footerLinks,
    historyDays: page.historyDays,
    logo: page.logo,
    logoDark: page.logoDark,
    favicon: page.favicon,
    cards: page.cards.map(({ id, name, services }) => ({
      key: id,
      id,
      name,
      serviceIds: services.map((service) => service.id),
    })),
  };
}

/** A picture that is named again is fetched again, so only those that changed are sent. */
function toPictures(base: PageValues, values: PageValues) {
  const changed = pictureFields.filter((field) => base[field] !== values[field]);
  return Object.fromEntries(changed.map((field) => [field, values[field]]));
}

const toLinks = (links: readonly LinkValues[]) =>
  links.map(({ name, url }) => ({ name: name.trim(), url: url.trim() }));

/** What to send, given what the API has. */
export function toInput(base: PageValues, values: PageValues): StatusPageInput {
  return {
    name: values.name.trim(),
    url: values.url.trim(),
    description: values.description.trim() || null,
    redirectTo: values.redirectTo.trim() || null,
    whiteLabel: values.whiteLabel,
    defaultTheme: values.defaultTheme,
    themeColors: values.themeColors,
    brandColor: values.brandColor,
    customCSS: values.customCSS,
    headerLinks: toLinks(values.headerLinks),
    footerText: values.footerText.trim() || null,
    footerLinks: toLinks(values.footerLinks),
    historyDays: values.historyDays,
    ...toPictures(base, values),
    cards: values.cards.map(({ id, name, serviceIds }) => ({
      ...(id !== null && { id }),
      name: name.trim(),
      services: serviceIds.map((serviceId) => ({ id: serviceId })),
    })),
  };
}
