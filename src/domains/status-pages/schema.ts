import { Type } from "typebox";
import { formatDate } from "../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  Guid,
  Name,
  ObjectOrNull,
  OneOf,
  OrNull,
} from "../../platform/http/schema.ts";
import { findContrastWarnings } from "./contrast.ts";
import { formatPictureAddress } from "./images/page-images.ts";
import { maxPictureAddressLength } from "./images/picture-address.ts";
import { pageUrlPattern } from "./page-url.ts";
import { ServiceSchema, toWireService } from "./services/schema.ts";
import { type Card, paletteColors, type StatusPage, themes } from "./status-page.ts";

const Color = Type.String({
  pattern: "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$",
  examples: ["#1d5fd1"],
});
const PaletteSchema = Type.Object({
  bodyBackgroundColor: Color,
  headerBackgroundColor: Color,
  headerFontColor: Color,
  titleFontColor: Color,
  bodyFontColor: Color,
  bodyFontColorMuted: Color,
  navigationFontColor: Color,
  linkFontColor: Color,
  cardBackgroundColor: Color,
  borderColor: Color,
  primaryButtonBackgroundColor: Color,
  primaryButtonFontColor: Color,
});
const ThemeColors = ObjectOrNull(Type.Object({ light: PaletteSchema, dark: PaletteSchema }));

const Description = OrNull(Type.String({ maxLength: 500 }));
const Picture = OrNull(
  Type.String({
    minLength: 1,
    maxLength: maxPictureAddressLength,
    description: "An http or https address, or the picture itself as data:image/…;base64,…",
  }),
);
const Link = OrNull(Type.String({ minLength: 1, maxLength: 2_048 }));

const CardBody = Type.Object({
  id: Type.Optional(Guid),
  name: Name,
  services: Type.Optional(Type.Array(Type.Object({ id: Guid }), { maxItems: 200 })),
});

export const StatusPageBody = Type.Object({
  name: Name,
  url: Type.String({ pattern: pageUrlPattern, description: "A label of a host name." }),
  cards: Type.Array(CardBody, { maxItems: 50 }),
  description: Type.Optional(Description),
  customDomain: Type.Optional(OrNull(Type.String({ minLength: 1, maxLength: 254 }))),
  themeColors: Type.Optional(ThemeColors),
  logo: Type.Optional(Picture),
  logoDark: Type.Optional(Picture),
  favicon: Type.Optional(Picture),
  redirectTo: Type.Optional(Link),
  defaultTheme: Type.Optional(OrNull(OneOf(themes))),
  whiteLabel: Type.Optional(OrNull(Type.Boolean())),
  isPrivate: Type.Optional(OrNull(Type.Boolean())),
});
export type StatusPageWish = Type.Static<typeof StatusPageBody>;

export const StatusPageParams = Type.Object({ statusPageId: Guid });
export const StatusPageQuery = Type.Object(CursorQuery);

const DateOnly = Type.String({ format: "date" });
const CardSchema = Type.Object({
  id: Guid,
  name: Type.String(),
  services: Type.Array(ServiceSchema),
  created_at: DateOnly,
  updated_at: OrNull(DateOnly),
});
const ContrastWarningSchema = Type.Object({
  theme: OneOf(["light", "dark"]),
  foreground: OneOf([...paletteColors]),
  background: OneOf([...paletteColors]),
  ratio: Type.Number(),
  needed: Type.Number(),
});

export const StatusPageSchema = Type.Object({
  id: Guid,
  name: Type.String(),
  url: Type.String(),
  customDomain: OrNull(Type.String()),
  themeColors: ThemeColors,
  logo: OrNull(Type.String()),
  redirectTo: OrNull(Type.String()),
  favicon: OrNull(Type.String()),
  defaultTheme: OneOf(themes),
  cards: Type.Array(CardSchema),
  whiteLabel: Type.Boolean(),
  description: OrNull(Type.String()),
  logoDark: OrNull(Type.String()),
  version: Type.Integer(),
  isPrivate: Type.Boolean(),
  accountId: Guid,
  created_at: DateOnly,
  updated_at: OrNull(DateOnly),
  contrastWarnings: Type.Array(ContrastWarningSchema, {
    description: "Pairs of colours that level AA of WCAG calls too hard to read.",
  }),
});
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

/** The pictures as the world may ask for them. */
export function toWirePictures({ url, settings }: StatusPage, publicUrl: string) {
  const folder = `${publicUrl}/status/${url}`;
  return {
    logo: formatPictureAddress(settings.logo, { folder, role: "logo" }),
    logoDark: formatPictureAddress(settings.logoDark, { folder, role: "logo-dark" }),
    favicon: formatPictureAddress(settings.favicon, { folder, role: "favicon" }),
  };
}

export function toWireStatusPage(page: StatusPage, publicUrl: string) {
  const { settings } = page;
  const { logo, logoDark, favicon } = toWirePictures(page, publicUrl);
  return {
    id: page.id,
    name: page.name,
    url: page.url,
    customDomain: settings.customDomain,
    themeColors: settings.themeColors,
    logo,
    redirectTo: settings.redirectTo,
    favicon,
    defaultTheme: settings.defaultTheme,
    cards: page.cards.map(toWireCard),
    whiteLabel: settings.whiteLabel,
    description: settings.description,
    logoDark,
    version: page.version,
    isPrivate: page.isPrivate,
    accountId: page.accountId,
    created_at: formatDate(page.createdAt),
    updated_at: page.updatedAt && formatDate(page.updatedAt),
    contrastWarnings: findContrastWarnings(settings.themeColors),
  };
}
