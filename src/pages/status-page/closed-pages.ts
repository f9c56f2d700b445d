import { html, type Markup } from "../html.ts";
import { createPageLook, type PageLook, renderStatusPageShell } from "./shell.ts";

/** For pages that do not reveal their owner. */
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

/** Renders an error as a page. */
export function renderProblemPage(basePath: string, title: string, words: string): Markup {
  return renderStatusPageShell(createPlainLook(basePath), {
    title,
    body: html`<h1 class="plain">${title}</h1><p>${words}</p>`,
    robots: "noindex",
    isClosed: true,
  });
}

/** Asks for the key, and reveals nothing about the page. */
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
