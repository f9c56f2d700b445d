import { html, type Markup } from "../html.ts";
import { createPageLook, type PageLook, renderStatusPageShell } from "./shell.ts";

/** For pages that must not or cannot say whose they are. */
export function createPlainLook(basePath: string): PageLook {
  const settings = { redirectTo: null, defaultTheme: "AUTO", themeColors: null, whiteLabel: true };
  return createPageLook(
    { name: "Status page", settings: { ...settings, defaultTheme: "AUTO" } },
    { basePath },
  );
}

/** What went wrong, for eyes. */
export function renderProblemPage(basePath: string, title: string, words: string): Markup {
  return renderStatusPageShell(createPlainLook(basePath), {
    title,
    body: html`<h1 class="plain">${title}</h1><p>${words}</p>`,
    robots: "noindex",
    isClosed: true,
  });
}
