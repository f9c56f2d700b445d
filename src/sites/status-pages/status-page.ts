import type { NamedService } from "../../pages/status-page/page-view.ts";
import type { CssWarning } from "../publishing/index.ts";

/** A part of the user's product whose state is public. */
export interface Service {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Number that every change increments. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Display settings of a group or a service component on a page. */
export interface ComponentLook {
  /** Position among siblings; siblings with the same position are ordered by id. */
  readonly position: number;
  readonly description: string | null;
  /** Whether visitors do not see the component. Incidents and rules can still affect it. */
  readonly isHidden: boolean;
  /** Whether visitors see the daily history and the uptime. */
  readonly showsHistory: boolean;
}

/** A service on a card. */
export interface CardService extends Service {
  /** Id of the service on this card; on another card, the service has another id. */
  readonly componentId: string;
  readonly look: ComponentLook;
}

export interface Card {
  readonly id: string;
  readonly name: string;
  /** Whether the card contains the services without a group. */
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
/** Colours by name; each colour is `#RGB` or `#RRGGBB`. */
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
  /** Colour for derived palettes; `null` if none. `themeColors` takes precedence. */
  readonly brandColor: string | null;
  /** Custom CSS as written; visitors receive the filtered CSS. */
  readonly customCSS: string;
  readonly headerLinks: readonly PageLink[];
  readonly footerText: string | null;
  readonly footerLinks: readonly PageLink[];
  /** Number of days that the history and the uptime of services cover. */
  readonly historyDays: HistoryDays;
  /** Whether search engines may list the page. */
  readonly allowIndexing: boolean;
  /** Google Analytics tag, stored for clients that read it back. Pages never load it. */
  readonly googleAnalyticsTag: string | null;
}

export interface StatusPage {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Path segment of the page below `/status/`, in lower case. */
  readonly url: string;
  readonly isPrivate: boolean;
  readonly settings: StatusPageSettings;
  /** Custom domain that is served; the domain in `customDomain` may still be unverified. */
  readonly servedDomain: string | null;
  readonly cssWarnings: readonly CssWarning[];
  readonly version: number;
  readonly cards: readonly Card[];
  /** Whether clients describe the content as components instead of cards. */
  readonly usesComponents: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Input of a request. `undefined` keeps the stored value, `null` resets it to the default. */
export interface StatusPageInput {
  readonly name: string;
  readonly url: string;
  /** New cards; if absent, the stored cards are not changed. */
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
  /** Id of an existing card; absent for a new card. */
  readonly id?: string | undefined;
  readonly name: string;
  /** Services of the card; if absent, the stored services are not changed. */
  readonly services?: readonly { readonly id: string }[] | undefined;
}

/** Returns the page reference for the `sites` module, which compares ids as text. */
export function referToPage(id: string) {
  return { pageKind: "status-page", pageId: id.toLowerCase() } as const;
}

/** Returns the page's URL on this server, even with a custom domain. No trailing slash. */
export function formatPageFolder(publicUrl: string, { url }: Pick<StatusPage, "url">): string {
  return `${publicUrl}/status/${url}`;
}

/** Lists cards and services, without those that are hidden from visitors. */
export function listShownCards({ cards }: StatusPage): readonly Card[] {
  return cards
    .filter(({ look }) => !look.isHidden)
    .map((card) => ({ ...card, services: card.services.filter(({ look }) => !look.isHidden) }));
}

/** Lists the services that visitors see in the order of the cards, without duplicates. */
export function listServicesOf(page: StatusPage): readonly Service[] {
  const services = listShownCards(page).flatMap((card) => card.services);
  return [...new Map(services.map((service) => [service.id, service])).values()];
}

/** Lists the services that visitors see, in order, each with the first card that shows it. */
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

/** Returns the base path of links: `/status/{url}/`, or `/` on a custom domain. */
export function findBasePath(originalUrl: string, pageUrl: string): string {
  const folder = `/status/${pageUrl}`;
  const [path = ""] = originalUrl.toLowerCase().split("?");
  return path === folder || path.startsWith(`${folder}/`) ? `${folder}/` : "/";
}

/** Returns the full URL of a page for mails and feeds, with a trailing slash. */
export function formatPageUrl(
  publicUrl: string,
  { url, servedDomain }: Pick<StatusPage, "url" | "servedDomain">,
): string {
  if (servedDomain === null) return `${publicUrl}/status/${url}/`;
  return `${publicUrl.startsWith("https:") ? "https" : "http"}://${servedDomain}/`;
}
