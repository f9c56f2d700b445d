import { html, type Markup } from "./html.ts";

export const plainStylesheetPath = "/plain.css";

/** One box in the middle of the screen, for pages with one message or one question. */
export function renderPlainPage(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>
<link rel="stylesheet" href="${plainStylesheetPath}"></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
}

export interface WelcomeLink {
  readonly path: string;
  readonly name: string;
  readonly words: string;
}

function renderLink({ path, name, words }: WelcomeLink): Markup {
  return html`<li><a href="${path}"><b>${name}</b><span class="muted">${words}</span></a></li>`;
}

/** The start page of the server. */
export function renderWelcome(version: string, pages: readonly WelcomeLink[]): Markup {
  return renderPlainPage(
    "Vedette is running",
    html`<p>It watches what you tell it to, alerts you, and shows the public how things are.</p>
${pages.length > 0 && html`<h2>Look around</h2><ul class="links">${pages.map(renderLink)}</ul>`}
<h2>Make it yours</h2>
<p>Everything is done by the HTTP API, with the key that the first start printed.</p>
<ul class="links">${[
      { path: "/docs/api", name: "API reference", words: "Every operation, with its fields." },
      { path: "/openapi.json", name: "OpenAPI document", words: "For clients and generators." },
    ].map(renderLink)}</ul>
<p class="muted foot"><a href="/readyz">Health</a> Version ${version}</p>`,
  );
}
