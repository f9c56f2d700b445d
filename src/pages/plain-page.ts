import { html, type Markup } from "./html.ts";

export const plainStylesheetPath = "/plain.css";

/** One box in the middle of the screen: for pages that say one thing or ask one question. */
export function renderPlainPage(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>
<link rel="stylesheet" href="${plainStylesheetPath}"></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
}

/** What somebody sees who opens the printed address in a browser. */
export function renderWelcome(version: string): Markup {
  return renderPlainPage(
    "Vedette is running",
    html`<p>Everything here is done by its HTTP API, with the key that the first start printed.</p>
<ul>
<li><a href="/docs/api">API reference</a> <span class="muted">every operation, with its fields</span></li>
<li><a href="/openapi.json">OpenAPI document</a> <span class="muted">for clients and generators</span></li>
<li><a href="/readyz">Health</a> and <a href="/metrics">metrics</a> <span class="muted">version ${version}</span></li>
</ul>`,
  );
}
