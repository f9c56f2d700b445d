/** How answers write figures, moments and other people's text. */

const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+/gu;

/**
 * Text of others as a code span on one line: in there nothing is a link, an image, a heading or
 * an instruction, whatever the text says.
 */
export function quote(text: string, maxLength = 80): string {
  const flat = text.replace(invisible, " ").replace(/\s+/gu, " ").replaceAll("`", "'").trim();
  const cut = [...flat];
  const shown = cut.length > maxLength ? `${cut.slice(0, maxLength - 1).join("")}…` : flat;
  return `\`${shown === "" ? " " : shown}\``;
}

/** What somebody says yes to is shown to its end. */
export function quoteWhole(text: string): string {
  return quote(text, 10_000);
}

export function writeMoment(at: string | number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** "2 h 5 min": the two largest units. */
export function writeDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** After "every": "minute", "5 min", "30 s". */
export function writeInterval(seconds: number): string {
  const names: Readonly<Record<number, string>> = { 60: "minute", 3600: "hour", 86400: "day" };
  return names[seconds] ?? writeDuration(seconds * 1_000);
}

export function writeMs(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "no data";
  return `${round(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)} ms`;
}

export function writePercent(value: number | null): string {
  return value === null || !Number.isFinite(value) ? "no data" : `${round(value, 2)} %`;
}

/** Availability is told by its nines, so it is never rounded up to 100. */
export function writeAvailability(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "no data";
  const rounded = Math.floor(value * 1_000) / 1_000;
  return `${rounded} %`;
}

export function writeCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** With its sign: a change that has none looks like a figure. */
export function writeChange(value: number | null, unit: string): string {
  if (value === null || !Number.isFinite(value)) return "no data";
  const rounded = round(value, 2);
  return `${rounded > 0 ? "+" : ""}${rounded} ${unit}`;
}

export function writeList(items: readonly string[], maxItems = 6): string {
  const shown = items.slice(0, maxItems);
  const rest = items.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} and ${rest} more`;
  const last = shown.pop();
  if (last === undefined) return "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
