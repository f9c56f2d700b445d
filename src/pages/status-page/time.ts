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

/** `2026-11` as it is spoken. */
export function formatMonth(month: string): string {
  const [year = "", number = ""] = month.split("-");
  return `${longMonths[Number(number) - 1]} ${year}`;
}

/** In UTC for whoever has no script; the script tells it in the reader's own time. */
export function renderMoment(at: Date): Markup {
  return html`<time datetime="${at.toISOString()}">${formatMoment(at)}</time>`;
}

/** A length of time in its two largest units. */
export function formatDuration(durationMs: number): string {
  const minutes = Math.max(1, Math.round(durationMs / 60_000));
  const days = Math.floor(minutes / 1_440);
  const hours = Math.floor((minutes % 1_440) / 60);
  const parts = [
    days > 0 ? `${days} d` : null,
    hours > 0 ? `${hours} h` : null,
    minutes % 60 > 0 && days === 0 ? `${minutes % 60} min` : null,
  ];
  return parts.filter((part) => part !== null).join(" ");
}
