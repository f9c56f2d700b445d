import { html, type Markup } from "./html.ts";

export const plainStylesheetPath = "/plain.css";

/** Renders one box in the middle of the screen, for pages with one message or form. */
export function renderPlainPage(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>
<link rel="stylesheet" href="${plainStylesheetPath}"></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
}
