import { html, type Markup } from "../html.ts";

/** Defined once per page and referenced by name, to keep pages small. */
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

/** Hidden from screen readers: the text beside it is equivalent. */
export function icon(name: IconName): Markup {
  return html`<svg class="icon" aria-hidden="true" focusable="false"><use href="#i-${name}"/></svg>`;
}
