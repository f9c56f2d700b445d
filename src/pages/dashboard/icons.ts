import { html, type Markup } from "../html.ts";
import { checkWords } from "../states.ts";
import { type ShownStatus, shownStatuses } from "./view.ts";

/** One shape per state, so that colour is not the only difference. */
const shapes: Readonly<Record<ShownStatus, Markup>> = {
  failing: html`<path class="icon-ground" d="M8 1h8l7 7v8l-7 7H8l-7-7V8z"/><path class="icon-mark" d="M8 8l8 8M16 8l-8 8"/>`,
  degraded: html`<path class="icon-ground" d="M12 1.5 23.5 22H.5z"/><path class="icon-mark" d="M12 9v6M12 18.4v.2"/>`,
  unknown: html`<circle class="icon-ring" cx="12" cy="12" r="9.5"/>`,
  passing: html`<circle class="icon-ground" cx="12" cy="12" r="11"/><path class="icon-mark" d="m7 12.5 3.5 3.5L17 8.5"/>`,
};

/** Rendered once per page; each row references it. */
export function renderIconShapes(): Markup {
  return html`<svg class="icon-shapes" aria-hidden="true">${shownStatuses.map(
    (status) => html`<symbol id="icon-${status}" viewBox="0 0 24 24">${shapes[status]}</symbol>`,
  )}</svg>`;
}

export function renderIcon(status: ShownStatus): Markup {
  return html`<svg class="icon"><use href="#icon-${status}"/></svg>`;
}

export function nameStatus(status: ShownStatus): string {
  return checkWords[status];
}
