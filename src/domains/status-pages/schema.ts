import { Type } from "typebox";
import { formatDate } from "../../platform/dates.ts";
import { tagVersion } from "../../platform/http/entity-tag.ts";
import {
  CursorPage,
  CursorQuery,
  Described,
  Filled,
  Guid,
  Matching,
  Name,
  ObjectOrNull,
  OneOf,
  OrNull,
} from "../../platform/http/schema.ts";
import {
  CssWarningList,
  formatPictureAddress,
  maxCssBytes,
  maxPictureAddressLength,
  pageUrlPattern,
} from "../sites/index.ts";
import { findContrastWarnings } from "./contrast.ts";
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
  "must be a colour in hexadecimal, such as #1d5fd1",
  { examples: ["#1d5fd1"] },
);
export const PaletteSchema = Type.Object(
  {
    bodyBackgroundColor: Described(Color, "Behind everything."),
    headerBackgroundColor: Described(Color, "Behind the header."),
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
const ThemeColors = ObjectOrNull(
  Type.Object({
    light: Described(PaletteSchema, "The colours on light."),
    dark: Described(PaletteSchema, "The colours on dark."),
  }),
);

const Description = OrNull(Type.String({ maxLength: 500 }));
const Picture = OrNull(
  Type.String({
    minLength: 1,
    maxLength: maxPictureAddressLength,
    description: "An http or https address, or the picture itself as data:image/…;base64,…",
  }),
);
const LinkList = (maxItems: number, description: string) =>
  Type.Array(
    Type.Object({
      name: Filled({
        maxLength: 60,
        description: "The words of the link.",
        examples: ["Support"],
      }),
      url: Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: "An http or https address, or mailto: and an e-mail address.",
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
  brandColor: "One colour from which the palettes are derived, unless `themeColors` sets them.",
  customCSS: "Style sheet of the page. `cssWarnings` names what the filter leaves out.",
  headerLinks: "Links in the header, in order.",
  footerText: "Plain text in the footer; `null` if there is none.",
  footerLinks: "Links in the footer, in order.",
} as const;
const Link = OrNull(Type.String({ minLength: 1, maxLength: 2_048 }));

const CardBody = Type.Object({
  id: Described(Type.Optional(Guid), "The card's id, to keep it; absent: a new card."),
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
    url: Matching(
      pageUrlPattern,
      "must be 1 to 63 letters, digits and hyphens, and begin and end with a letter or digit",
      { description: "A label of a host name." },
    ),
    cards: Type.Array(CardBody, { description: "The cards of the page, in order.", maxItems: 50 }),
    description: Described(Type.Optional(Description), "Text below the name; null: none."),
    customDomain: Described(
      Type.Optional(OrNull(Type.String({ minLength: 1, maxLength: 254 }))),
      "A host name of its own; null: none.",
    ),
    themeColors: Described(Type.Optional(ThemeColors), "Colours of its own; null: the usual ones."),
    logo: Described(
      Type.Optional(Picture),
      "The picture in the header, as an address or as data; null: none.",
    ),
    logoDark: Described(
      Type.Optional(Picture),
      "The picture in the header on dark; null: the same.",
    ),
    favicon: Described(
      Type.Optional(Picture),
      "The picture of the browser's tab; null: the usual one.",
    ),
    redirectTo: Described(Type.Optional(Link), "Where the logo leads; null: to the page itself."),
    defaultTheme: Described(
      Type.Optional(OrNull(OneOf(themes))),
      "Light, dark, or the setting of the visitor's system.",
    ),
    whiteLabel: Described(
      Type.Optional(OrNull(Type.Boolean())),
      "True: the page does not name us.",
    ),
    isPrivate: Described(Type.Optional(OrNull(Type.Boolean())), "True: a key is needed to see it."),
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

const DateOnly = Type.String({ format: "date" });
const CardSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its heading.", examples: ["Shop"] }),
    services: Type.Array(ServiceSchema, { description: "The services on the card, in order." }),
    created_at: Described(DateOnly, "The day it was created, in UTC."),
    updated_at: Described(OrNull(DateOnly), "The day it was last changed, in UTC; null: never."),
  },
  { title: "StatusPageCard" },
);
export const ContrastWarningSchema = Type.Object({
  theme: Described(OneOf(["light", "dark"]), "On which of the two."),
  foreground: Described(OneOf([...paletteColors]), "The colour of the text."),
  background: Described(OneOf([...paletteColors]), "The colour behind it."),
  ratio: Type.Number({ description: "The contrast as it is.", examples: [2.9] }),
  needed: Type.Number({ description: "The contrast that level AA requires.", examples: [4.5] }),
});

export const StatusPageSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its name.", examples: ["Acme status"] }),
    url: Type.String({ description: "Its address below /status/.", examples: ["acme"] }),
    customDomain: Described(OrNull(Type.String()), "A host name of its own; null: none.", null),
    themeColors: Described(ThemeColors, "Colours of its own; null: the usual ones.", null),
    logo: Described(OrNull(Type.String()), "The picture in the header; null: none.", null),
    redirectTo: Described(
      OrNull(Type.String()),
      "Where the logo leads; null: to the page itself.",
      null,
    ),
    favicon: Described(
      OrNull(Type.String()),
      "The picture of the browser's tab; null: the usual one.",
      null,
    ),
    defaultTheme: Described(OneOf(themes), "Light, dark, or the setting of the visitor's system."),
    cards: Type.Array(CardSchema, { description: "The cards of the page, in order." }),
    whiteLabel: Type.Boolean({ description: "True: the page does not name us." }),
    description: Described(OrNull(Type.String()), "Text below the name; null: none.", null),
    logoDark: Described(
      OrNull(Type.String()),
      "The picture in the header on dark; null: the same.",
      null,
    ),
    version: Type.Integer({ description: "Counts the changes of the page." }),
    isPrivate: Type.Boolean({ description: "True: a key is needed to see it." }),
    brandColor: Described(OrNull(Type.String()), descriptions.brandColor, null),
    customCSS: Type.String({ description: descriptions.customCSS }),
    cssWarnings: CssWarningList,
    headerLinks: LinkList(5, descriptions.headerLinks),
    footerText: Described(FooterText, descriptions.footerText, null),
    footerLinks: LinkList(10, descriptions.footerLinks),
    historyDays: HistoryLength,
    accountId: Described(Guid, "The account's id."),
    created_at: Described(DateOnly, "The day it was created, in UTC."),
    updated_at: Described(OrNull(DateOnly), "The day it was last changed, in UTC; null: never."),
    contrastWarnings: Type.Array(ContrastWarningSchema, {
      description: "Pairs of colours with less contrast than level AA of WCAG requires.",
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
    created_at: formatDate(card.createdAt),
    updated_at: card.updatedAt && formatDate(card.updatedAt),
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
    created_at: formatDate(page.createdAt),
    updated_at: page.updatedAt && formatDate(page.updatedAt),
    contrastWarnings: findContrastWarnings(settings.themeColors),
  };
}
