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

export interface Card {
  readonly id: string;
  readonly name: string;
  readonly services: readonly Service[];
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
export type PaletteColor = (typeof paletteColors)[number];
/** Each colour is `#RGB` or `#RRGGBB`. */
export type Palette = Readonly<Record<PaletteColor, string>>;

export const themes = ["LIGHT", "DARK", "AUTO"] as const;
export type Theme = (typeof themes)[number];

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
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Input of a request; `undefined` keeps the stored value, `null` resets it to the default. */
export interface StatusPageInput {
  readonly name: string;
  readonly url: string;
  readonly cards: readonly CardInput[];
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

/** Lists the page's services without duplicates, in the order of the cards. */
export function listServicesOf(page: StatusPage): readonly Service[] {
  const services = page.cards.flatMap((card) => card.services);
  return [...new Map(services.map((service) => [service.id, service])).values()];
}

/** Lists services in the order of the page, each under the first card that shows it. */
export function nameServices({ cards }: StatusPage): readonly NamedService[] {
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
