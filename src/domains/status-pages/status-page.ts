import type { NamedService } from "../../pages/status-page/page-view.ts";
import type { CssWarning } from "../sites/index.ts";

/** A part of the product whose state is public. */
export interface Service {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Incremented by every change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** How a page shows a group or a service. */
export interface ComponentLook {
  /** Siblings are shown in this order, then by id. */
  readonly position: number;
  readonly description: string | null;
  /** Visitors do not see it; incidents and rules can still affect it. */
  readonly isHidden: boolean;
  /** Whether visitors see the past days and the uptime. */
  readonly showsHistory: boolean;
}

/** A service on a card. */
export interface CardService extends Service {
  /** Id of its place on the page; the same service on another card has another one. */
  readonly componentId: string;
  readonly look: ComponentLook;
}

export interface Card {
  readonly id: string;
  readonly name: string;
  /** Whether it is the card of components without a group. */
  readonly isUngrouped: boolean;
  readonly look: ComponentLook;
  readonly services: readonly CardService[];
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export const paletteColors = [
  "bodyBackgroundColor",
  "headerBackgroundColor",
  "headerFontColor",
  "titleFontColor",
  "bodyFontColor",
  "bodyFontColorMuted",
  "navigationFontColor",
  "linkFontColor",
  "cardBackgroundColor",
  "borderColor",
  "primaryButtonBackgroundColor",
  "primaryButtonFontColor",
] as const;
type PaletteColor = (typeof paletteColors)[number];
/** Each colour is `#RGB` or `#RRGGBB`. */
export type Palette = Readonly<Record<PaletteColor, string>>;

export const themes = ["LIGHT", "DARK", "AUTO"] as const;
type Theme = (typeof themes)[number];

/** A link in the header or the footer. */
export interface PageLink {
  readonly name: string;
  readonly url: string;
}

export const historyLengths = [30, 90, 365] as const;
export type HistoryDays = (typeof historyLengths)[number];

export interface StatusPageSettings {
  readonly description: string | null;
  readonly customDomain: string | null;
  readonly themeColors: { readonly light: Palette; readonly dark: Palette } | null;
  readonly logo: string | null;
  readonly logoDark: string | null;
  readonly favicon: string | null;
  readonly redirectTo: string | null;
  readonly defaultTheme: Theme;
  readonly whiteLabel: boolean;
  /**
   * Colour from which the palettes are derived unless `themeColors` sets them; `null` if there is
   * none.
   */
  readonly brandColor: string | null;
  /** Source as written; visitors receive the filtered CSS. */
  readonly customCSS: string;
  readonly headerLinks: readonly PageLink[];
  readonly footerText: string | null;
  readonly footerLinks: readonly PageLink[];
  /** Number of days that the bars and the uptime of services cover. */
  readonly historyDays: HistoryDays;
  /** Whether search engines may list the page. */
  readonly allowIndexing: boolean;
  /** Stored for clients that read it back; pages load nothing from other hosts. */
  readonly googleAnalyticsTag: string | null;
}

export interface StatusPage {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** In lower case; path of the page below `/status/`. */
  readonly url: string;
  readonly isPrivate: boolean;
  readonly settings: StatusPageSettings;
  /** The verified domain; `customDomain` may still be unverified. */
  readonly servedDomain: string | null;
  readonly cssWarnings: readonly CssWarning[];
  readonly version: number;
  readonly cards: readonly Card[];
  /** Whether clients describe its content as components; as cards otherwise. */
  readonly usesComponents: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Input of a request; `undefined` keeps the stored value, `null` resets it to the default. */
export interface StatusPageInput {
  readonly name: string;
  readonly url: string;
  /** If absent, the cards are kept. */
  readonly cards?: readonly CardInput[] | undefined;
  readonly usesComponents?: boolean | undefined;
  readonly description?: string | null | undefined;
  readonly customDomain?: string | null | undefined;
  readonly themeColors?: StatusPageSettings["themeColors"] | undefined;
  readonly logo?: string | null | undefined;
  readonly logoDark?: string | null | undefined;
  readonly favicon?: string | null | undefined;
  readonly redirectTo?: string | null | undefined;
  readonly defaultTheme?: Theme | null | undefined;
  readonly whiteLabel?: boolean | null | undefined;
  readonly isPrivate?: boolean | null | undefined;
  readonly brandColor?: string | null | undefined;
  readonly customCSS?: string | null | undefined;
  readonly headerLinks?: readonly PageLink[] | null | undefined;
  readonly footerText?: string | null | undefined;
  readonly footerLinks?: readonly PageLink[] | null | undefined;
  readonly historyDays?: HistoryDays | null | undefined;
  readonly allowIndexing?: boolean | null | undefined;
  readonly googleAnalyticsTag?: string | null | undefined;
}

export interface CardInput {
  /** Absent for a new card. */
  readonly id?: string | undefined;
  readonly name: string;
  /** If absent, the services of the card are kept. */
  readonly services?: readonly { readonly id: string }[] | undefined;
}

/** Page reference of module `sites`, which compares ids as text. */
export function referToPage(id: string) {
  return { pageKind: "status-page", pageId: id.toLowerCase() } as const;
}

/** Returns the page's URL on this server's host, whatever its domain; without a trailing slash. */
export function formatPageFolder(publicUrl: string, { url }: Pick<StatusPage, "url">): string {
  return `${publicUrl}/status/${url}`;
}

/** Lists the cards and services that visitors see. */
export function listShownCards({ cards }: StatusPage): readonly Card[] {
  return cards
    .filter(({ look }) => !look.isHidden)
    .map((card) => ({ ...card, services: card.services.filter(({ look }) => !look.isHidden) }));
}

/** Lists the services that visitors see without duplicates, in the order of the cards. */
export function listServicesOf(page: StatusPage): readonly Service[] {
  const services = listShownCards(page).flatMap((card) => card.services);
  return [...new Map(services.map((service) => [service.id, service])).values()];
}

/** Lists services in the order of the page, each under the first card that shows it. */
export function nameServices(page: StatusPage): readonly NamedService[] {
  const cards = listShownCards(page);
  const isGrouped = cards.filter(({ services }) => services.length > 0).length > 1;
  const named = new Map<string, NamedService>();
  for (const card of cards) {
    for (const { id, name } of card.services) {
      if (!named.has(id)) named.set(id, { id, name, ...(isGrouped && { card: card.name }) });
    }
  }
  return [...named.values()];
}

/**
 * Returns the base path of the page's links: `/status/{url}/` on this server's host, `/` on a
 * custom domain. Always ends with a slash.
 */
export function findBasePath(originalUrl: string, pageUrl: string): string {
  const folder = `/status/${pageUrl}`;
  const [path = ""] = originalUrl.toLowerCase().split("?");
  return path === folder || path.startsWith(`${folder}/`) ? `${folder}/` : "/";
}

/** Returns the full URL, for mails and feeds; it ends with a slash. */
export function formatPageUrl(
  publicUrl: string,
  { url, servedDomain }: Pick<StatusPage, "url" | "servedDomain">,
): string {
  if (servedDomain === null) return `${publicUrl}/status/${url}/`;
  return `${publicUrl.startsWith("https:") ? "https" : "http"}://${servedDomain}/`;
}
