import type { CssWarning } from "../sites/index.ts";

/** Something that the public sees as up or down. */
export interface Service {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Raised by every change. */
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
/** Each a `#RGB` or `#RRGGBB`. */
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
  /** The palettes are derived from it unless `themeColors` sets them; `null` if there is none. */
  readonly brandColor: string | null;
  /** As its author wrote it; visitors get what the filter leaves. */
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
  /** In lower case; where the page is found below `/status/`. */
  readonly url: string;
  readonly isPrivate: boolean;
  readonly settings: StatusPageSettings;
  /** The domain that leads here; `customDomain` may still wait for proof. */
  readonly servedDomain: string | null;
  readonly cssWarnings: readonly CssWarning[];
  readonly version: number;
  readonly cards: readonly Card[];
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** What a caller sends; absent keeps what is stored, null goes back to the default. */
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
  /** Absent: a new card. */
  readonly id?: string | undefined;
  readonly name: string;
  /** Absent: those it has. */
  readonly services?: readonly { readonly id: string }[] | undefined;
}

/** As `sites` knows it, which compares ids as text. */
export function referToPage(id: string) {
  return { pageKind: "status-page", pageId: id.toLowerCase() } as const;
}

/** Where the page is found whatever its domain; without a slash at the end. */
export function formatPageFolder(publicUrl: string, { url }: Pick<StatusPage, "url">): string {
  return `${publicUrl}/status/${url}`;
}

/** The page's services, each once, in the order of the cards. */
export function listServicesOf(page: StatusPage): readonly Service[] {
  const services = page.cards.flatMap((card) => card.services);
  return [...new Map(services.map((service) => [service.id, service])).values()];
}
