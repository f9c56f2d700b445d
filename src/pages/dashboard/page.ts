import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { html, type Markup } from "../html.ts";
import { colors, writeTokenStyles } from "../tokens.ts";
import { renderIconShapes, renderView } from "./render-view.ts";
import type { DashboardView, ShellView } from "./view.ts";

function load(name: string, before = ""): { readonly text: string; readonly version: string } {
  const text = before + readFileSync(join(import.meta.dirname, name), "utf8");
  return { text, version: createHash("sha256").update(text).digest("hex").slice(0, 12) };
}

const css = load("dashboard.css", writeTokenStyles());
const js = load("dashboard.js");

/** Favicon of a dashboard without its own image. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" ' +
  `fill="${colors.light.accent}"/>` +
  '<path d="M5 18h6l3-9 5 15 3-6h5" fill="none" stroke="#fff" stroke-width="2.6" ' +
  'stroke-linecap="round" stroke-linejoin="round"/></svg>';

export const stylesheet = css.text;
export const script = js.text;
/**
 * Versions of the style sheet and the script. They are part of the URLs, so that the files can be
 * cached.
 */
export const assetVersions = { css: css.version, js: js.version } as const;

interface Frame {
  readonly title: string;
  readonly basePath: string;
  readonly faviconUrl?: string | null;
  readonly bodyClass: string;
  readonly theme?: "light" | "dark" | null;
  readonly head: Markup;
  readonly body: Markup;
}

function renderFrame(frame: Frame): Markup {
  const { title, basePath, faviconUrl = null, bodyClass, head, body, theme = null } = frame;
  return html`<!doctype html>
<html lang="en"${theme !== null && html` data-theme="${theme}"`}><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${faviconUrl ?? `${basePath}icon.svg`}">
<link rel="stylesheet" href="${basePath}page.css?v=${assetVersions.css}">
${head}</head>
<body class="${bodyClass}">${body}</body></html>`;
}

/**
 * Reloads the page in browsers without JavaScript. If pages rotate, loads the next page instead.
 */
function renderRefresh(shell: ShellView, view: DashboardView): Markup {
  const turns = view.paginates && view.pages > 1;
  const next = view.page < view.pages ? view.page + 1 : 1;
  const content = turns
    ? `${shell.paginationSeconds}; url=?page=${next}${view.isExpanded ? "&expand=1" : ""}`
    : String(shell.refreshSeconds);
  return html`<noscript><meta http-equiv="refresh" content="${content}"></noscript>`;
}

function renderLogo({ logoUrl, link, header }: ShellView): Markup | null {
  if (logoUrl === null) return null;
  const picture = html`<img class="logo" src="${logoUrl}" alt="${link === null ? "" : header}">`;
  return link === null
    ? picture
    : html`<a class="logo-link" href="${link}" rel="noopener noreferrer">${picture}</a>`;
}

function renderHeader(shell: ShellView): Markup {
  if (!shell.showsHeader) return html`<h1 class="unseen">${shell.header}</h1>`;
  return html`<div class="header-words">${renderLogo(shell)}<div><h1 class="header-text">${shell.header}</h1>${
    shell.description !== null && html`<p class="description">${shell.description}</p>`
  }</div></div>`;
}

/** Shows the time at which the data was read. The script of the page replaces it with the age. */
function renderFreshness({ asOf }: DashboardView): Markup {
  const text = `${asOf.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return html`<p class="freshness" role="status" aria-live="off"><span class="freshness-dot" aria-hidden="true"></span><span class="freshness-text">as of ${text}</span></p>`;
}

/** Renders the whole page of a dashboard: the shell and the current view. */
export function renderDashboardPage(shell: ShellView, view: DashboardView): Markup {
  const { basePath } = shell;
  const head = html`${shell.isPrivate && html`<meta name="robots" content="noindex">`}
${shell.customCssUrl !== null && html`<link rel="stylesheet" href="${shell.customCssUrl}">`}
${
  shell.preview === null &&
  html`${renderRefresh(shell, view)}
<script src="${basePath}page.js?v=${assetVersions.js}" defer></script>`
}`;
  const body = html`<header class="header${shell.showsHeader ? "" : " header-bare"}">${renderHeader(shell)}<div class="header-signs"><time class="clock" hidden></time><button type="button" class="pause fullscreen" hidden>Full screen</button><button type="button" class="pause" aria-pressed="false" hidden>Pause</button>${renderFreshness(view)}</div></header>
${renderIconShapes()}<main id="view" class="view" data-base="${basePath}" data-refresh="${shell.refreshSeconds}" data-now="${shell.nowMs}" data-turn="${shell.paginationSeconds}" data-shell="${view.shell}">${renderView(view)}</main>`;
  const bodyClass = `dashboard ${shell.isWide ? "width-full" : "width-960"}`;
  const { header: title, faviconUrl, preview: theme } = shell;
  return renderFrame({ title, basePath, faviconUrl, bodyClass, head, body, theme });
}

/**
 * Renders the form for the key of a private dashboard. The form reveals nothing about the
 * dashboard.
 */
export function renderLockedPage(
  basePath: string,
  answer: { readonly isWrong: boolean; readonly isTooOften: boolean },
): Markup {
  const fault = answer.isTooOften
    ? "Too many attempts. Retry in a few minutes."
    : answer.isWrong && "This key is not valid for this dashboard.";
  const body = html`<main class="locked"><h1>This dashboard is private</h1>
<form method="post" action="${basePath}unlock"><label for="key">Its key</label>
<input id="key" name="key" type="password" autocomplete="off" required maxlength="100" autofocus${fault !== false && html` aria-describedby="fault"`}>
${fault !== false && html`<p id="fault" class="fault" role="alert">${fault}</p>`}
<button type="submit">Open</button></form></main>`;
  const head = html`<meta name="robots" content="noindex">`;
  return renderFrame({
    title: "Private dashboard",
    basePath,
    bodyClass: "locked-page",
    head,
    body,
  });
}

export function renderMissingPage(basePath: string): Markup {
  const body = html`<main class="locked"><h1>Dashboard not found</h1>
<p>It may have been deleted, or its URL may have changed.</p></main>`;
  const head = html`<meta name="robots" content="noindex">`;
  return renderFrame({ title: "Not found", basePath, bodyClass: "locked-page", head, body });
}
