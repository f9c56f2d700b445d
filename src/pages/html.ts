/** Safe markup. The tag `html` escapes every inserted value that is not markup itself. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type MarkupPart = Markup | string | number | null | undefined | false | readonly MarkupPart[];

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "");
}

function render(part: MarkupPart): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map(render).join("");
}

export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return new Markup(strings.map((text, index) => text + render(parts[index])).join(""));
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const longMonths =
  "January February March April May June July August September October November December".split(
    " ",
  );

const twoDigits = (value: number) => String(value).padStart(2, "0");

export function formatDay(at: Date): string {
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

export function formatDateTime(at: Date): string {
  return `${formatDay(at)}, ${twoDigits(at.getUTCHours())}:${twoDigits(at.getUTCMinutes())} UTC`;
}

/** Formats a month such as `2026-11` as "November 2026". */
export function formatMonth(month: string): string {
  const [year = "", number = ""] = month.split("-");
  return `${longMonths[Number(number) - 1]} ${year}`;
}

/** Renders a time in UTC. The script of a status page replaces it with local time. */
export function renderTime(at: Date): Markup {
  return html`<time datetime="${at.toISOString()}">${formatDateTime(at)}</time>`;
}

/**
 * Renders a time in UTC. The script of a status page replaces it with local time, and adds how long
 * ago it was or how soon it will be.
 */
export function renderRelativeTime(at: Date): Markup {
  return html`<time class="aged" datetime="${at.toISOString()}">${formatDateTime(at)}</time>`;
}
