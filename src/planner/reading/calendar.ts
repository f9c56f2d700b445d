/** Days, weeks from Monday and months in UTC. Pure arithmetic on milliseconds. */

export const secondMs = 1_000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;

export const weekdayNames = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

export const monthNames = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
] as const;

export function startOfDay(atMs: number): number {
  return Math.floor(atMs / dayMs) * dayMs;
}

/** 1 January 1970 was a Thursday. */
export function startOfWeek(atMs: number): number {
  const day = Math.floor(atMs / dayMs);
  return (day - ((((day + 3) % 7) + 7) % 7)) * dayMs;
}

export function startOfMonth(atMs: number, months = 0): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}

export function startOfYear(atMs: number, years = 0): number {
  return Date.UTC(new Date(atMs).getUTCFullYear() + years, 0, 1);
}

/** Returns the start of a day, or `null` if it does not exist, such as 30 February. */
export function findDay(year: number, month: number, day: number): number | null {
  const atMs = Date.UTC(year, month - 1, day);
  const date = new Date(atMs);
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && year >= 1970 && year <= 9999 ? atMs : null;
}

/** Monday is 0. Names may be abbreviated to three letters or more. */
export function findWeekday(word: string): number | null {
  if (word.length < 3) return null;
  const stem = word.length > 6 && word.endsWith("s") ? word.slice(0, -1) : word;
  const index = weekdayNames.findIndex((name) => name === stem || isCut(name, stem));
  return index < 0 ? null : index;
}

function isCut(name: string, word: string): boolean {
  return (
    word.length <= 5 &&
    name.startsWith(word) &&
    /^(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)$/.test(word)
  );
}

/** January is 1. "sun", "mar" and "may" are words too: the caller decides by the context. */
export function findMonth(word: string): number | null {
  if (word.length < 3) return null;
  const index = monthNames.findIndex(
    (name) => name === word || (word.length <= 4 && name.startsWith(word)),
  );
  return index < 0 ? null : index + 1;
}
