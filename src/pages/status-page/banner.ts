import { html, type Markup } from "../html.ts";
import { bannerStyle } from "./assets.ts";
import { banners } from "./home.ts";
import { icon, sprite } from "./icons.ts";
import type { PageView } from "./page-view.ts";
import type { PageLook } from "./shell.ts";

/** Any site may embed it in a frame: it has no script, no form and one link. */
export const bannerSecurityPolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *";

/** Interval at which browsers reload it, because it has no script. */
const reloadSeconds = 60;

/** Renders the state of the page in one line, to be embedded in another site with an iframe. */
export function renderEmbeddedBanner(look: PageLook, view: PageView, url: string): Markup {
  const { basePath } = look;
  const { tone, icon: name } = banners[view.indicator];
  return html`<!doctype html>
<html lang="en" data-theme="${look.defaultTheme.toLowerCase()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="${reloadSeconds}">
<title>${view.name}: ${view.sentence}</title>
<link rel="stylesheet" href="${basePath}banner.css?v=${bannerStyle.hash}">
</head>
<body>${sprite}
<a class="${tone}" href="${url}" target="_blank" rel="noopener">${icon(name)}<span><b>${view.sentence}</b> · ${view.name}</span></a>
</body>
</html>`;
}
