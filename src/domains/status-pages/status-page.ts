/** Something that can be up or down in the eyes of the public. */
export interface Service {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Raised by every change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** A box on a page with some services in it. */
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

/** How a page looks and what it says of itself. */
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
}

export interface StatusPage {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** In lower case; where the page is found below `/status/`. */
  readonly url: string;
  readonly isPrivate: boolean;
  readonly settings: StatusPageSettings;
  readonly version: number;
  readonly cards: readonly Card[];
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** The page's services, each once, in the order of the cards. */
export function listServicesOf(page: StatusPage): readonly Service[] {
  const services = page.cards.flatMap((card) => card.services);
  return [...new Map(services.map((service) => [service.id, service])).values()];
}
