import { html, Markup } from "../html.ts";
import { formatDateTime } from "../status-page/time.ts";
import { colors, fontFamily } from "../tokens.ts";

/** An entry of the JSON feed; its content was made by `renderFeed`. */
export interface FeedEntry {
  readonly title: string;
  readonly content_html: string;
  readonly date_modified: string;
}

/** Renders an entry approximately as a feed reader shows it; styles of readers differ. */
export function renderFeedEntry(
  entry: FeedEntry,
  feedName: string,
  scheme: "light" | "dark",
): Markup {
  const { ground, ink, muted, accent } = colors[scheme];
  const content = new Markup(entry.content_html);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${entry.title}</title>
<style>:root{color-scheme:${scheme}}
body{margin:0;padding:20px;background:${ground};color:${ink};overflow-wrap:anywhere}
body{font:15px/1.5 ${new Markup(fontFamily)}}h1{margin:0;font-size:20px;line-height:1.3}
a{color:${accent}}.from{margin:0 0 16px;color:${muted}}img{max-width:100%}pre{overflow:auto}
</style></head>
<body><h1>${entry.title}</h1>
<p class="from">${feedName} · ${formatDateTime(new Date(entry.date_modified))}</p>
${content}</body></html>`;
}
