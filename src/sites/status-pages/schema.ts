import { Type } from "typebox";
import { findContrastWarnings } from "../../pages/status-page/theme.ts";
import { toDay } from "../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateOnly,
  Described,
  Filled,
  Guid,
  Matching,
  Name,
  ObjectOrNull,
  OneOf,
  OrNull,
} from "../../platform/http/schema.ts";
import { tagVersion } from "../../platform/http/send.ts";
import {
  CssWarningList,
  formatPictureAddress,
  maxCssBytes,
  maxPictureAddressLength,
  pageUrlPattern,
} from "../publishing/index.ts";
import { ServiceSchema, toWireService } from "./services/schema.ts";
import {
  type Card,
  formatPageFolder,
  type HistoryDays,
  historyLengths,
  paletteColors,
  type StatusPage,
  themes,
} from "./status-page.ts";

const Color = Matching(
  "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$",
  "must be a hexadecimal colour such as #1d5fd1",
  { examples: ["#1d5fd1"] },
);
export const PaletteSchema = Type.Object(
  {
    bodyBackgroundColor: Described(Color, "Behind everything."),
    headerBackgroundColor: Described(Color, "Background of the header."),
    headerFontColor: Described(Color, "Text in the header."),
    titleFontColor: Described(Color, "Headings."),
    bodyFontColor: Described(Color, "Text."),
    bodyFontColorMuted: Described(Color, "Secondary text."),
    navigationFontColor: Described(Color, "Text of the navigation."),
    linkFontColor: Described(Color, "Links."),
    cardBackgroundColor: Described(Color, "Behind cards."),
    borderColor: Described(Color, "Lines."),
    primaryButtonBackgroundColor: Described(Color, "Behind buttons."),
    primaryButtonFontColor: Described(Color, "Text of buttons."),
  },
  { title: "Palette" },
);
export const ThemeColors = ObjectOrNull(
  Type.Object({
    light: Described(PaletteSchema, "Colours of the light theme."),
    dark: Described(PaletteSchema, "Colours of the dark theme."),
  }),
);

const Description = OrNull(Type.String({ maxLength: 500 }));
const Picture = OrNull(
  Type.String({
    minLength: 1,
    maxLength: maxPictureAddressLength,
    description: "An http or https URL, or a data URL (`data:image/…;base64,…`).",
  }),
);
const LinkList = (maxItems: number, description: string) =>
  Type.Array(
    Type.Object({
      name: Filled({
        maxLength: 60,
        description: "Text of the link.",
        examples: ["Support"],
      }),
      url: Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: "An http or https URL, or mailto: with an email address.",
        examples: ["https://example.com/support"],
      }),
    }),
    { maxItems, description },
  );
const FooterText = OrNull(Type.String({ maxLength: 1_000 }));
const HistoryLength = Type.Unsafe<HistoryDays>({
  type: "integer",
  enum: [...historyLengths],
  description: "Number of days that the bars and the uptime cover: 30, 90 or 365.",
  examples: [90],
});
const descriptions = {
  brandColor: "Colour from which the palettes are derived, unless `themeColors` sets them.",
  customCSS: "Custom CSS of the page. `cssWarnings` lists the rules that the filter removes.",
  headerLinks: "Links in the header, in order.",
  footerText: "Plain text in the footer; `null` if there is none.",
  footerLinks: "Links in the footer, in order.",
} as const;
const Link = OrNull(Type.String({ minLength: 1, maxLength: 2_048 }));

export const PageUrl = Matching(
  pageUrlPattern,
  "must be 1 to 63 letters, digits and hyphens, and start and end with a letter or digit",
  { description: "Path of the page below `/status/`." },
);

const CardBody = Type.Object({
  id: Described(Type.Optional(Guid), "Id of an existing card. Omit it to create a card."),
  name: Described(Name, "Its heading.", "Shop"),
  services: Type.Optional(
    Type.Array(Type.Object({ id: Described(Guid, "Its id.") }), {
      description: "The services on the card, in order.",
      examples: [[{ id: "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10" }]],
      maxItems: 200,
    }),
  ),
});

export const StatusPageBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Acme status"),
    url: PageUrl,
    cards: Type.Array(CardBody, { description: "The cards of the page, in order.", maxItems: 50 }),
    description: Described(Type.Optional(Description), "Text below the name; `null` if none."),
    customDomain: Described(
      Type.Optional(OrNull(Type.String({ minLength: 1, maxLength: 254 }))),
      "Custom domain; `null` if none.",
    ),
    themeColors: Described(Type.Optional(ThemeColors), "Custom colours; `null` for the defaults."),
    logo: Described(
      Type.Optional(Picture),
      "Logo in the header, as a URL or data URL; `null` if none.",
    ),
    logoDark: Described(
      Type.Optional(Picture),
      "Logo in the dark theme; `null` for the same logo.",
    ),
    favicon: Described(Type.Optional(Picture), "Favicon; `null` for the default."),
    redirectTo: Described(Type.Optional(Link), "Link of the logo; `null` for the page itself."),
    defaultTheme: Described(
      Type.Optional(OrNull(OneOf(themes))),
      "Light, dark, or the preference of the visitor's system.",
    ),
    whiteLabel: Described(
      Type.Optional(OrNull(Type.Boolean())),
      "Whether to hide the name of this product.",
    ),
    isPrivate: Described(
      Type.Optional(OrNull(Type.Boolean())),
      "Whether a key is needed to view the page.",
    ),
    brandColor: Described(Type.Optional(OrNull(Color)), descriptions.brandColor),
    customCSS: Described(
      Type.Optional(OrNull(Type.String({ maxLength: maxCssBytes }))),
      descriptions.customCSS,
    ),
    headerLinks: Type.Optional(OrNull(LinkList(5, descriptions.headerLinks))),
    footerText: Described(Type.Optional(FooterText), descriptions.footerText),
    footerLinks: Type.Optional(OrNull(LinkList(10, descriptions.footerLinks))),
    historyDays: Type.Optional(OrNull(HistoryLength)),
  },
  { title: "StatusPageInput" },
);

export const StatusPageParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
});
export const StatusPageQuery = Type.Object(CursorQuery);

const CardSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its heading.", examples: ["Shop"] }),
    services: Type.Array(ServiceSchema, { description: "The services on the card, in order." }),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "Date of the last change, in UTC; `null` if never changed.",
    ),
  },
  { title: "StatusPageCard" },
);
export const ContrastWarningSchema = Type.Object({
  theme: Described(OneOf(["light", "dark"]), "Theme of the colour pair."),
  foreground: Described(OneOf([...paletteColors]), "Text colour."),
  background: Described(OneOf([...paletteColors]), "Background colour."),
  ratio: Type.Number({ description: "Current contrast ratio.", examples: [2.9] }),
  needed: Type.Number({
    description: "Contrast ratio required by WCAG level AA.",
    examples: [4.5],
  }),
});

export const StatusPageSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its name.", examples: ["Acme status"] }),
    url: Type.String({ description: "Path of the page below `/status/`.", examples: ["acme"] }),
    customDomain: Described(OrNull(Type.String()), "Custom domain; `null` if none.", null),
    themeColors: Described(ThemeColors, "Custom colours; `null` for the defaults.", null),
    logo: Described(OrNull(Type.String()), "Logo in the header; `null` if none.", null),
    redirectTo: Described(
      OrNull(Type.String()),
      "Link of the logo; `null` for the page itself.",
      null,
    ),
    favicon: Described(OrNull(Type.String()), "Favicon; `null` for the default.", null),
    defaultTheme: Described(
      OneOf(themes),
      "Light, dark, or the preference of the visitor's system.",
    ),
    cards: Type.Array(CardSchema, { description: "The cards of the page, in order." }),
    whiteLabel: Type.Boolean({ description: "Whether the name of this product is hidden." }),
    description: Described(OrNull(Type.String()), "Text below the name; `null` if none.", null),
    logoDark: Described(
      OrNull(Type.String()),
      "Logo in the dark theme; `null` for the same logo.",
      null,
    ),
    version: Type.Integer({ description: "Number of changes of the page." }),
    isPrivate: Type.Boolean({ description: "Whether a key is needed to view the page." }),
    brandColor: Described(OrNull(Type.String()), descriptions.brandColor, null),
    customCSS: Type.String({ description: descriptions.customCSS }),
    cssWarnings: CssWarningList,
    headerLinks: LinkList(5, descriptions.headerLinks),
    footerText: Described(FooterText, descriptions.footerText, null),
    footerLinks: LinkList(10, descriptions.footerLinks),
    historyDays: HistoryLength,
    accountId: Described(Guid, "The account's id."),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "Date of the last change, in UTC; `null` if never changed.",
    ),
    contrastWarnings: Type.Array(ContrastWarningSchema, {
      description: "Colour pairs with less contrast than WCAG level AA requires.",
    }),
  },
  { title: "StatusPage" },
);
export const StatusPageList = CursorPage(StatusPageSchema);

function toWireCard(card: Card) {
  return {
    id: card.id,
    name: card.name,
    services: card.services.map(toWireService),
    created_at: toDay(card.createdAt),
    updated_at: card.updatedAt && toDay(card.updatedAt),
  };
}

export function tagStatusPage({ version, cards }: StatusPage): string {
  return tagVersion(
    version,
    cards.flatMap(({ services }) => services.map((service) => service.version)),
  );
}

export function toWireStatusPage(page: StatusPage, publicUrl: string) {
  const { settings } = page;
  const folder = formatPageFolder(publicUrl, page);
  return {
    id: page.id,
    name: page.name,
    url: page.url,
    customDomain: settings.customDomain,
    themeColors: settings.themeColors,
    logo: formatPictureAddress(settings.logo, { folder, role: "logo" }),
    redirectTo: settings.redirectTo,
    favicon: formatPictureAddress(settings.favicon, { folder, role: "favicon" }),
    defaultTheme: settings.defaultTheme,
    cards: page.cards.map(toWireCard),
    whiteLabel: settings.whiteLabel,
    description: settings.description,
    logoDark: formatPictureAddress(settings.logoDark, { folder, role: "logo-dark" }),
    version: page.version,
    isPrivate: page.isPrivate,
    brandColor: settings.brandColor,
    customCSS: settings.customCSS,
    cssWarnings: [...page.cssWarnings],
    headerLinks: [...settings.headerLinks],
    footerText: settings.footerText,
    footerLinks: [...settings.footerLinks],
    historyDays: settings.historyDays,
    accountId: page.accountId,
    created_at: toDay(page.createdAt),
    updated_at: page.updatedAt && toDay(page.updatedAt),
    contrastWarnings: findContrastWarnings(settings.themeColors),
  };
}
