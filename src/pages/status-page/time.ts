import { html, type Markup } from "../html.ts";

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const longMonths =
  "January February March April May June July August September October November December".split(
    " ",
  );

const twoDigits = (value: number) => String(value).padStart(2, "0");

export function formatDay(at: Date): string {
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

export function formatMoment(at: Date): string {
  return `${formatDay(at)}, ${twoDigits(at.getUTCHours())}:${twoDigits(at.getUTCMinutes())} UTC`;
}

/** `2026-11` becomes "November 2026". */
export function formatMonth(month: string): string {
  const [year = "", number = ""] = month.split("-");
  return `${longMonths[Number(number) - 1]} ${year}`;
}

/** In UTC; the script replaces it with local time. */
export function renderMoment(at: Date): Markup {
  return html`<time datetime="${at.toISOString()}">${formatMoment(at)}</time>`;
}

/** The script adds how long ago it was, or how soon it will be, and keeps that current. */
export function renderAgedMoment(at: Date): Markup {
  return html`<time class="aged" datetime="${at.toISOString()}">${formatMoment(at)}</time>`;
}
