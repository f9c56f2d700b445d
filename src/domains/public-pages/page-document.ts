/** Documents of a page, by path. */
export type DocumentName =
  | { readonly kind: "home" }
  | { readonly kind: "history"; readonly month: string | null }
  | { readonly kind: "incident"; readonly id: string | null }
  | { readonly kind: "summary" }
  | { readonly kind: "feed"; readonly format: "rss" | "atom" | "json" }
  | { readonly kind: "calendar" }
  | { readonly kind: "badge" }
  | { readonly kind: "theme" }
  | { readonly kind: "custom-style" }
  | { readonly kind: "banner" };

export interface RenderedText {
  readonly text: string;
  readonly contentType: string;
  /** Whether other sites may embed it in a frame. */
  readonly isEmbeddable?: true;
}

export const contentTypes = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  script: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
  calendar: "text/calendar; charset=utf-8",
  rss: "application/rss+xml; charset=utf-8",
  atom: "application/atom+xml; charset=utf-8",
  jsonFeed: "application/feed+json; charset=utf-8",
} as const;

/** Returns whether the document is for people; the others are for programs. */
export function isForReaders({ kind }: DocumentName): boolean {
  return kind === "home" || kind === "history" || kind === "incident";
}

/** The theme is public, because the page with the form for the key uses it. */
export function isOpenToAll({ kind }: DocumentName): boolean {
  return kind === "theme";
}

const monthPattern = /^(\d{4})-(0[1-9]|1[0-2])$/;
/** Earliest year that updates can be backdated to. */
const firstYear = 1970;

/** Returns `null` if the text is not a month or the month is in the future. */
export function parseMonth(text: string, now: Date): string | null {
  const year = monthPattern.exec(text)?.[1];
  const isPossible = year !== undefined && Number(year) >= firstYear;
  return isPossible && text <= now.toISOString().slice(0, 7) ? text : null;
}

export function startOfMonth(month: string): Date {
  return new Date(`${month}-01T00:00:00.000Z`);
}

export function nextMonth(month: string): string {
  const start = startOfMonth(month);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1))
    .toISOString()
    .slice(0, 7);
}

export function previousMonth(month: string): string {
  const start = startOfMonth(month);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - 1, 1))
    .toISOString()
    .slice(0, 7);
}
