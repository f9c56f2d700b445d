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
