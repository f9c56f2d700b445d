import type { StatusPage, StatusPageInput } from "../queries.ts";

/** Form values of the page editor. Settings of the page on other tabs are not included. */
export type PageValues = {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly redirectTo: string;
  readonly whiteLabel: boolean;
  readonly defaultTheme: StatusPage["defaultTheme"];
  readonly themeColors: ThemeColors | null;
  /** Brand colour; `null` if the page has default or custom colours. */
  readonly brandColor: string | null;
  readonly customCSS: string;
  readonly headerLinks: readonly LinkValues[];
  readonly footerText: string;
  readonly footerLinks: readonly LinkValues[];
  readonly historyDays: StatusPage["historyDays"];
  /** Logo as a URL or data URL; `null` for no logo. */
  readonly logo: string | null;
  readonly logoDark: string | null;
  readonly favicon: string | null;
  readonly cards: readonly CardValues[];
};

export type LinkValues = StatusPage["footerLinks"][number];

export type CardValues = {
  /** React key of the card, which is the id of a stored card. */
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

/** Returns only the changed images, because the server would fetch unchanged images again. */
function toPictures(base: PageValues, values: PageValues) {
  const changed = pictureFields.filter((field) => base[field] !== values[field]);
  return Object.fromEntries(changed.map((field) => [field, values[field]]));
}

const toLinks = (links: readonly LinkValues[]) =>
  links.map(({ name, url }) => ({ name: name.trim(), url: url.trim() }));

/** Builds the request that saves the page from the stored version and the form values. */
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
