const numberWords: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  sixty: 60,
  ninety: 90,
  couple: 2,
  few: 3,
  several: 3,
  half: 0.5,
  dozen: 12,
};

/** Parses a number in digits or words, such as "3", "2.5" or "three"; `null` for other text. */
export function parseNumber(word: string): number | null {
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(word)) return Number(word);
  return Object.hasOwn(numberWords, word) ? (numberWords[word] ?? null) : null;
}

/** Returns the number in the first group that matched; `null` if there is no number. */
export function readNumber(line: string, pattern: RegExp): number | null {
  const text = pattern
    .exec(line)
    ?.slice(1)
    .find((group) => group !== undefined);
  return text === undefined ? null : parseNumber(text);
}

/** Functions that format numbers and lists for sentences. */

export function writeMs(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "no data";
  return `${round(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)} ms`;
}

/**
 * Formats a measured time, such as "14 µs", "1.37 ms", "240 ms" or "1.2 s". `extraDigits` adds
 * digits where the rounded value would be misleading.
 */
export function formatMilliseconds(ms: number, extraDigits = 0): string {
  const digits = (value: number, places: number) => round(value, places + extraDigits);
  const size = Math.abs(ms);
  if (size >= 1_000) return `${digits(ms / 1_000, size >= 10_000 ? 0 : 1)} s`;
  if (size >= 100) return `${digits(ms, 0)} ms`;
  if (size >= 10) return `${digits(ms, 1)} ms`;
  if (size >= 0.1 || ms === 0) return `${digits(ms, 2)} ms`;
  return `${digits(ms * 1_000, 0)} µs`;
}

export function writePercent(value: number | null): string {
  return value === null || !Number.isFinite(value) ? "no data" : `${round(value, 2)} %`;
}

/** Formats an availability, rounded down, so that a value below 100 % is never shown as 100 %. */
export function writeAvailability(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "no data";
  // Floating-point numbers such as 64.6 may be slightly below their decimal value.
  const rounded = Math.floor(value * 1_000 + 1e-6) / 1_000;
  return `${rounded} %`;
}

export function writeCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a change with its sign, such as "+1.5 ms". */
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

/** Formats a time with about three digits, for screens that are read from a distance. */
export function formatMs(ms: number | null): string {
  if (ms === null) return "–";
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(0)} s`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms >= 100) return `${ms.toFixed(0)} ms`;
  if (ms >= 10) return `${ms.toFixed(1)} ms`;
  if (ms >= 0.1) return `${ms.toFixed(2)} ms`;
  // Microseconds are needed: a request of a machine to itself takes only tens of microseconds.
  return ms >= 0.001 ? `${(ms * 1_000).toFixed(0)} µs` : "< 1 µs";
}
