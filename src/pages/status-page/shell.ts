import { html, type Markup, renderTime } from "../html.ts";
import { hashText, pageScript, pageStyle } from "./static-files.ts";
import { deriveBrandPalettes, hashTheme, type ThemeColors } from "./theme.ts";

/**
 * Security policy of status pages: nothing from other hosts, nothing inline, and no embedding in
 * frames.
 */
export const pageSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A link added by the owner of the page. */
interface LookLink {
  readonly name: string;
  readonly url: string;
}

/** Settings of a status page that define its appearance. */
interface LookSettings
  extends Pick<
    PageLook,
    | "redirectTo"
    | "defaultTheme"
    | "themeColors"
    | "whiteLabel"
    | "headerLinks"
    | "footerText"
    | "footerLinks"
  > {
  /** Colour from which the palettes are derived, unless `themeColors` is set. */
  readonly brandColor: string | null;
  readonly customCSS: string;
}

/** Properties that are the same on all pages of one status page. */
export interface PageLook {
  readonly name: string;
  /** Base path of the page's links, which ends with a slash. In a snapshot the path is relative. */
  readonly basePath: string;
  readonly logoUrl: string | null;
  readonly logoDarkUrl: string | null;
  readonly faviconUrl: string | null;
  /** Target of the logo; `null` if the logo links to the status page itself. */
  readonly redirectTo: string | null;
  readonly defaultTheme: "LIGHT" | "DARK" | "AUTO";
  /** Colours chosen by the owner; `null` for the default palettes. */
  readonly themeColors: ThemeColors | null;
  readonly whiteLabel: boolean;
  readonly headerLinks: readonly LookLink[];
  readonly footerText: string | null;
  readonly footerLinks: readonly LookLink[];
  /** Version of the custom CSS; `null` if the page has no custom CSS. */
  readonly customCssHash: string | null;
  /** Target of the link "Powered by Vedette". */
  readonly poweredByUrl: string;
  /**
   * Time at which a snapshot was taken; `null` for a live page. A snapshot must work without a
   * server.
   */
  readonly snapshotAt: Date | null;
}

/** Hashes of the images. They are part of the URLs, so that the images can be cached forever. */
type ImageHashes = Readonly<Partial<Record<"logo" | "logo-dark" | "favicon", string>>>;

export interface PageContent {
  /**
   * Title of the HTML document, to which the page's name is appended. The body has its own `h1`.
   */
  readonly title: string;
  readonly body: Markup;
  readonly robots?: "noindex";
  /**
   * Whether the page omits the navigation, the feeds, the owner's footer and the custom CSS. Set
   * for visitors without access and for error pages.
   */
  readonly isClosed?: boolean;
  /** Version of the content. The script reloads the content if the server has another version. */
  readonly version?: string;
}

export function createPageLook(
  page: {
    readonly name: string;
    readonly settings: LookSettings;
  },
  place: {
    readonly basePath: string;
    readonly images?: ImageHashes;
    readonly publicUrl?: string;
  },
): PageLook {
  const { redirectTo, defaultTheme, whiteLabel, brandColor, customCSS } = page.settings;
  const { headerLinks, footerText, footerLinks } = page.settings;
  const { basePath, images = {}, publicUrl = "" } = place;
  const locate = (role: keyof ImageHashes) => {
    const hash = images[role];
    return hash === undefined ? null : `${basePath}images/${role}?v=${hash}`;
  };
  return {
    name: page.name,
    basePath,
    logoUrl: locate("logo"),
    logoDarkUrl: locate("logo-dark"),
    faviconUrl: locate("favicon"),
    redirectTo,
    defaultTheme,
    themeColors:
      page.settings.themeColors ?? (brandColor === null ? null : deriveBrandPalettes(brandColor)),
    whiteLabel,
    headerLinks,
    footerText,
    footerLinks,
    customCssHash: customCSS === "" ? null : hashText(customCSS),
    poweredByUrl: `${publicUrl}/docs`,
    snapshotAt: null,
  };
}

function renderBrand(look: PageLook): Markup {
  const { name, logoUrl, logoDarkUrl } = look;
  const isPaired = logoUrl !== null && logoDarkUrl !== null;
  const logo = logoUrl ?? logoDarkUrl;
  const picture = html`${logo !== null && html`<img class="logo${isPaired && " on-light"}" src="${logo}" alt="${name}">`}
${isPaired && html`<img class="logo on-dark" src="${logoDarkUrl}" alt="${name}">`}`;
  const target = look.redirectTo ?? linkToHome(look);
  return html`<a class="brand" href="${target}" rel="noopener noreferrer">${logo === null ? name : picture}</a>`;
}

const renderLink = ({ name, url }: LookLink) =>
  html`<a href="${url}" rel="noopener noreferrer">${name}</a>`;

function renderNavigation(look: PageLook, isClosed: boolean): Markup | null {
  if (isClosed) return null;
  const { basePath, redirectTo, snapshotAt, headerLinks } = look;
  return html`<nav aria-label="Page">
${headerLinks.map(renderLink)}
${redirectTo !== null && html`<a href="${linkToHome(look)}">Status</a>`}
<a href="${linkToHistory(look)}">History</a>
${snapshotAt === null && html`<a class="button subscribe" href="${basePath}subscribe">Subscribe</a>`}
</nav>`;
}

function renderFeedLinks({ basePath, name }: PageLook): Markup {
  return html`<link rel="alternate" type="application/rss+xml" title="${name}" href="${basePath}feed.rss">
<link rel="alternate" type="application/atom+xml" title="${name}" href="${basePath}feed.atom">
<link rel="alternate" type="application/feed+json" title="${name}" href="${basePath}feed.json">`;
}

function renderFooter(look: PageLook, isClosed: boolean): Markup {
  const { basePath, whiteLabel } = look;
  const feeds = html`<a href="${basePath}feed.rss">RSS</a> <a href="${basePath}feed.atom">Atom</a>
<a href="${basePath}feed.json">JSON feed</a> <a href="${basePath}maintenance.ics">Calendar</a>
<a href="${basePath}summary.json">JSON summary</a>`;
  const { footerText, footerLinks } = look;
  const own = html`${footerText !== null && html`<p class="about">${footerText}</p>`}
${footerLinks.length > 0 && html`<p class="links">${footerLinks.map((link) => html`${renderLink(link)} `)}</p>`}`;
  return html`<footer>${!isClosed && own}
${!isClosed && html`<p class="feeds">${feeds}</p>`}
${!whiteLabel && html`<p class="powered"><a href="${look.poweredByUrl}" rel="noopener">Powered by Vedette</a></p>`}</footer>`;
}

/**
 * Renders the time of a snapshot, with a warning that the script shows if the snapshot is too old.
 */
function renderSnapshotStamp(at: Date): Markup {
  return html`<p class="stamp" data-as-of="${at.toISOString()}">As of ${renderTime(at)}.
<strong class="stale" hidden>This copy is outdated; the current state may differ.</strong></p>`;
}

/**
 * Marks a cached page as stale. The page's script reloads the content if its version differs from
 * the version in the JSON summary. The page gets a version that no summary contains, so the script
 * reloads the content as soon as the server is available again.
 */
export function stampAsStale(page: string, at: Date): string {
  const stamp = html`<p class="stamp"><strong class="stale">As of ${renderTime(at)}. The current
state is temporarily unavailable and may differ.</strong></p>`;
  return page.replace(
    /<main id="main" tabindex="-1"(?<version> data-version="[^"]*")?>/,
    (_tag, version) =>
      `<main id="main" tabindex="-1"${version === undefined ? "" : ' data-version="stale"'}>\n${stamp.text}`,
  );
}

/**
 * Renders the layout that all public pages share. Scripts and styles come only from the same host.
 */
export function renderStatusPageShell(look: PageLook, content: PageContent): Markup {
  const { basePath, name, faviconUrl, snapshotAt, customCssHash } = look;
  const { isClosed = false, version } = content;
  const theme = look.defaultTheme.toLowerCase();
  return html`<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${content.robots !== undefined && html`<meta name="robots" content="${content.robots}">`}
<title>${content.title === name ? name : `${content.title} · ${name}`}</title>
<link rel="stylesheet" href="${basePath}page.css?v=${pageStyle.hash}">
<link rel="stylesheet" href="${basePath}theme.css?v=${hashTheme(look.themeColors)}">
${customCssHash !== null && !isClosed && html`<link rel="stylesheet" href="${basePath}custom.css?v=${customCssHash}">`}
<script src="${basePath}page.js?v=${pageScript.hash}"></script>
<link rel="icon" href="${faviconUrl ?? `${basePath}icon.svg`}">
${!isClosed && renderFeedLinks(look)}
</head>
<body class="status-page" data-base="${basePath}">
${sprite}
<a class="skip" href="#main">Skip to the content</a>
<header><div class="wide">${renderBrand(look)}
<div class="tools">${renderNavigation(look, isClosed)}
<button class="theme" type="button" hidden aria-label="Switch between light and dark">${icon("theme")}</button></div></div></header>
${snapshotAt !== null && renderSnapshotStamp(snapshotAt)}
<main id="main" tabindex="-1"${version !== undefined && html` data-version="${version}"`}>
${content.body}
</main>
${renderFooter(look, isClosed)}
</body>
</html>`;
}

/**
 * Shapes of all icons. They are defined once per page and referenced by name, which keeps pages
 * small.
 */
export const sprite: Markup = html`<svg class="sprite" width="0" height="0" aria-hidden="true" focusable="false">
<symbol id="i-ok" viewBox="0 0 20 20"><path d="M4 10.5l4 4 8-9"/></symbol>
<symbol id="i-degraded" viewBox="0 0 20 20"><path d="M10 3.5l7.5 13h-15zM10 8.5v3.5M10 14.3v.2"/></symbol>
<symbol id="i-outage" viewBox="0 0 20 20"><path d="M5 5l10 10M15 5L5 15"/></symbol>
<symbol id="i-maintenance" viewBox="0 0 20 20"><path d="M3 17l7-7M13.2 3.2a4.6 4.6 0 1 0 3.6 3.6l-2.6 2.5-3-.5-.5-3z"/></symbol>
<symbol id="i-none" viewBox="0 0 20 20"><path d="M5 10h10"/></symbol>
<symbol id="i-theme" viewBox="0 0 20 20"><path d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7z"/></symbol>
<pattern id="d-ok" width="5" height="28" patternUnits="userSpaceOnUse"><rect class="ok" width="3.4" height="28" rx="1.2"/></pattern>
<pattern id="d-none" width="5" height="28" patternUnits="userSpaceOnUse"><rect class="none" width="3.4" height="28" rx="1.2"/></pattern>
</svg>`;

export type IconName = "ok" | "degraded" | "outage" | "maintenance" | "none" | "theme";

/** Renders an icon. Screen readers ignore it, because the text beside it has the same meaning. */
export function icon(name: IconName): Markup {
  return html`<svg class="icon" aria-hidden="true" focusable="false"><use href="#i-${name}"/></svg>`;
}

interface LinkPlace {
  readonly basePath: string;
  readonly snapshotAt: Date | null;
}

/**
 * Returns the link to the home page. In snapshots, links include the file name, because a static
 * web server may not support index files or omitted extensions.
 */
function linkToHome({ basePath, snapshotAt }: LinkPlace): string {
  return snapshotAt === null ? basePath : `${basePath}index.html`;
}

export function linkToHistory({ basePath, snapshotAt }: LinkPlace, month?: string): string {
  if (snapshotAt !== null) return `${basePath}history/${month ?? "index"}.html`;
  return month === undefined ? `${basePath}history` : `${basePath}history/${month}`;
}

export function linkToIncident({ basePath, snapshotAt }: LinkPlace, id: string): string {
  return `${basePath}incidents/${id}${snapshotAt === null ? "" : ".html"}`;
}

/** Creates the appearance of pages that must not reveal who owns them. */
export function createPlainLook(basePath: string): PageLook {
  const settings = {
    redirectTo: null,
    defaultTheme: "AUTO",
    themeColors: null,
    brandColor: null,
    whiteLabel: true,
    customCSS: "",
    headerLinks: [],
    footerText: null,
    footerLinks: [],
  } as const;
  return createPageLook({ name: "Status page", settings }, { basePath });
}

/** Renders an error page that does not reveal the owner of the status page. */
export function renderProblemPage(basePath: string, title: string, words: string): Markup {
  return renderStatusPageShell(createPlainLook(basePath), {
    title,
    body: html`<h1 class="plain">${title}</h1><p>${words}</p>`,
    robots: "noindex",
    isClosed: true,
  });
}

/** Renders the form for the key of a private page. The form reveals none of the page's content. */
export function renderUnlockPage(look: PageLook, fault: string | null): Markup {
  const body = html`<h1 class="plain">This page is private</h1>
<div class="card"><form method="post" action="${look.basePath}unlock">
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
<label for="key">Key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required maxlength="200">
<button type="submit">Show the page</button></form></div>`;
  return renderStatusPageShell(look, {
    title: "Private page",
    body,
    robots: "noindex",
    isClosed: true,
  });
}
