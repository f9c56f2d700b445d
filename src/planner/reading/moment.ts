import { parseNumber } from "../../platform/text/figures.ts";

/** Calendar arithmetic in UTC: days, weeks that start on Monday, and months. */

const secondMs = 1_000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;

const weekdayNames = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

const monthNames = [
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

/** Returns the start of the week, Monday 00:00 UTC. Day 0, 1 January 1970, was a Thursday. */
export function startOfWeek(atMs: number): number {
  const day = Math.floor(atMs / dayMs);
  return (day - ((((day + 3) % 7) + 7) % 7)) * dayMs;
}

export function startOfMonth(atMs: number, months = 0): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}

/**
 * Returns the length of the month at a time. In a time zone, a month starts some hours before or
 * after the UTC month, so use a time in the middle of the month.
 */
export function lengthOfMonth(middleMs: number): number {
  return startOfMonth(middleMs, 1) - startOfMonth(middleMs);
}

export function startOfYear(atMs: number, years = 0): number {
  return Date.UTC(new Date(atMs).getUTCFullYear() + years, 0, 1);
}

/**
 * Returns the start of a day. Returns `null` if the date does not exist, such as 30 February, or is
 * before 1970.
 */
function findDay(year: number, month: number, day: number): number | null {
  const atMs = Date.UTC(year, month - 1, day);
  const date = new Date(atMs);
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && year >= 1970 && year <= 9999 ? atMs : null;
}

/** Returns the index of a weekday, where Monday is 0. Accepts abbreviations such as "tues". */
function findWeekday(word: string): number | null {
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

/**
 * Returns the number of a month, where January is 1. "mar", "sep" and "may" also have other
 * meanings, so the caller must check the context.
 */
function findMonth(word: string): number | null {
  if (word.length < 3) return null;
  const index = monthNames.findIndex(
    (name) => name === word || (word.length <= 4 && name.startsWith(word)),
  );
  return index < 0 ? null : index + 1;
}

const units: readonly (readonly [RegExp, number, string])[] = [
  [/^(?:seconds?|secs?|s)$/, secondMs, "second"],
  [/^(?:minutes?|mins?|m)$/, minuteMs, "minute"],
  [/^(?:hours?|hrs?|h)$/, hourMs, "hour"],
  [/^(?:days?|d)$/, dayMs, "day"],
  [/^(?:weeks?|wks?|w)$/, weekMs, "week"],
  [/^months?$/, 30 * dayMs, "month"],
  [/^(?:years?|yrs?)$/, 365 * dayMs, "year"],
];

export function unitMs(word: string): { readonly ms: number; readonly name: string } | null {
  const unit = units.find(([pattern]) => pattern.test(word));
  return unit === undefined ? null : { ms: unit[1], name: unit[2] };
}

/** Reads an amount such as "3", "three", "a couple of" or "half an". */
export function readAmount(
  words: readonly string[],
  index: number,
): { readonly value: number; readonly next: number } | null {
  let at = index;
  if (words[at] === "a" && ["couple", "few", "dozen", "half"].includes(words[at + 1] ?? ""))
    at += 1;
  const value = parseNumber(words[at] ?? "");
  if (value === null) return null;
  at += 1;
  if (words[at] === "of" || words[at] === "a" || words[at] === "an") at += 1;
  return { value, next: at };
}

interface Duration {
  readonly ms: number;
  readonly unitMs: number;
  readonly label: string;
  readonly next: number;
}

/** Reads a duration such as "90 seconds", "two hours" or "half an hour". */
export function readDuration(words: readonly string[], index: number): Duration | null {
  const amount = readAmount(words, index);
  if (amount === null) return null;
  const unit = unitMs(words[amount.next] ?? "");
  if (unit === null) return null;
  const ms = amount.value * unit.ms;
  if (ms <= 0 || ms > 10 * 366 * dayMs) return null;
  const noun = amount.value === 1 ? unit.name : `${unit.name}s`;
  return { ms, unitMs: unit.ms, label: `${amount.value} ${noun}`, next: amount.next + 1 };
}

/** A period that words describe, such as a day, a month or a clock time. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
  readonly next: number;
  /** Whether the span is a clock time, which has no length. */
  readonly isClockTime: boolean;
  /**
   * Whether the text is a date or time only after a preposition such as "on" or "in". This applies
   * to text that can also mean something else, such as "may", "sun" and "12".
   */
  readonly needsOpener?: boolean;
  /** Whether the text is a bare number such as "12", which is a clock time only after "at". */
  readonly isBareNumber?: boolean;
}

/**
 * Reads a date, a weekday, a month or a clock time that starts at this index. A clock time without
 * a date is on the day that starts at `dayStartMs` or, if that is absent, at its most recent
 * occurrence.
 */
export function readTimePoint(
  words: readonly string[],
  index: number,
  nowMs: number,
  dayStartMs?: number,
): Span | null {
  const day =
    readIsoTime(words, index) ??
    readNamedDate(words, index, nowMs) ??
    readNumericDate(words, index) ??
    readWeekday(words, index, nowMs);
  if (day !== null) return day.isClockTime ? day : withClock(words, day, nowMs);
  return readMonth(words, index, nowMs) ?? readClock(words, index, { nowMs, dayStartMs });
}

function withClock(words: readonly string[], day: Span, nowMs: number): Span {
  const at = ["at", "around"].includes(words[day.next] ?? "") ? day.next + 1 : day.next;
  const clock = readClock(words, at, { nowMs, dayStartMs: day.fromMs });
  const isClear = clock !== null && (at > day.next || !clock.needsOpener);
  return isClear ? { ...clock, label: `${day.label} ${clock.label}`, needsOpener: false } : day;
}

function wholeDay(fromMs: number, next: number): Span {
  const label = new Date(fromMs).toISOString().slice(0, 10);
  return { fromMs, toMs: fromMs + dayMs, label, next, isClockTime: false };
}

/** Reads an ISO 8601 date or time written as one word: 2026-11-12 or 2026-11-12T14:00Z. */
function readIsoTime(words: readonly string[], index: number): Span | null {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:t(\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:z|\+00:00)?)?$/.exec(
      words[index] ?? "",
    );
  if (match === null) return null;
  const [, year, month, day, hour, minute] = match;
  const fromMs = findDay(Number(year), Number(month), Number(day));
  if (fromMs === null) return null;
  if (hour === undefined) return wholeDay(fromMs, index + 1);
  const atMs = fromMs + Number(hour) * hourMs + Number(minute) * minuteMs;
  if (Number(hour) > 23 || Number(minute) > 59) return null;
  return clockTime(atMs, new Date(atMs).toISOString().slice(0, 16).replace("T", " "), index + 1);
}

/**
 * How many years to go back to find a date without a year. The last 29 February can be eight years
 * ago, because years such as 1900 and 2100 are not leap years.
 */
const yearsBack = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** Reads a date such as "12 November". A date without a year is the most recent one in the past. */
function readNamedDate(words: readonly string[], index: number, nowMs: number): Span | null {
  const first = words[index] ?? "";
  const isOf = words[index + 1] === "of";
  const second = words[index + (isOf ? 2 : 1)] ?? "";
  const dayOf = (word: string) => /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word)?.[1];
  const [monthWord, dayText] =
    findMonth(first) !== null ? [first, dayOf(second)] : [second, dayOf(first)];
  const month = findMonth(monthWord);
  if (month === null || dayText === undefined) return null;
  const next = index + (isOf ? 3 : 2);
  const yearText = /^\d{4}$/.exec(words[next] ?? "")?.[0];
  const thisYear = new Date(nowMs).getUTCFullYear();
  if (yearText !== undefined) {
    const dated = findDay(Number(yearText), month, Number(dayText));
    return dated === null ? null : wholeDay(dated, next + 1);
  }
  const past = yearsBack
    .map((years) => findDay(thisYear - years, month, Number(dayText)))
    .find((atMs) => atMs !== null && atMs <= nowMs);
  return past === undefined || past === null ? null : wholeDay(past, next);
}

/** Reads a numeric date such as 12.11.2026 or 12/11/2026, with the day first. */
function readNumericDate(words: readonly string[], index: number): Span | null {
  const match = /^(\d{1,2})[./](\d{1,2})[./](\d{4})$/.exec(words[index] ?? "");
  if (match === null) return null;
  const fromMs = findDay(Number(match[3]), Number(match[2]), Number(match[1]));
  return fromMs === null ? null : wholeDay(fromMs, index + 1);
}

/**
 * Reads a weekday as its most recent occurrence. Today counts as an occurrence, except after
 * "last".
 */
function readWeekday(words: readonly string[], index: number, nowMs: number): Span | null {
  const weekday = findWeekday(words[index] ?? "");
  if (weekday === null) return null;
  const isLast = words[index - 1] === "last";
  const thisWeek = startOfWeek(nowMs) + weekday * dayMs;
  const isAhead = isLast ? thisWeek >= startOfDay(nowMs) : thisWeek > nowMs;
  const fromMs = isAhead ? thisWeek - weekMs : thisWeek;
  const label = `${capitalise(weekdayNames[weekday] ?? "")} ${new Date(fromMs).toISOString().slice(0, 10)}`;
  const toMs = fromMs + dayMs;
  const isShort = (words[index] ?? "").length < 6;
  return { fromMs, toMs, label, next: index + 1, isClockTime: false, needsOpener: isShort };
}

function readMonth(words: readonly string[], index: number, nowMs: number): Span | null {
  const word = words[index] ?? "";
  const month = findMonth(word);
  if (month === null) return null;
  const yearText = /^\d{4}$/.exec(words[index + 1] ?? "")?.[0];
  const now = new Date(nowMs);
  const isAhead = month > now.getUTCMonth() + 1;
  const year = yearText === undefined ? now.getUTCFullYear() - (isAhead ? 1 : 0) : Number(yearText);
  const fromMs = findDay(year, month, 1);
  if (fromMs === null) return null;
  return {
    fromMs,
    toMs: Date.UTC(year, month, 1),
    label: `${capitalise(monthNames[month - 1] ?? "")} ${year}`,
    next: index + (yearText === undefined ? 1 : 2),
    isClockTime: false,
    // "may" and "march" are also verbs, and "sep" and "mar" also mean other things.
    needsOpener: yearText === undefined && !/^(?:[a-z]{6,}|april|june|july)$/.test(word),
  };
}

const namedClocks: Readonly<Record<string, number>> = { noon: 12, midday: 12, midnight: 0 };

/** Reads a time of day: "14:00", "2pm", "2 pm", "noon". */
function readClock(
  words: readonly string[],
  index: number,
  day: { readonly nowMs: number; readonly dayStartMs: number | undefined },
): Span | null {
  const word = words[index] ?? "";
  const match = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})?(am|pm|h|z)?$/.exec(word);
  const named = Object.hasOwn(namedClocks, word) ? namedClocks[word] : undefined;
  if (match === null && named === undefined) return null;
  const following = words[index + 1] ?? "";
  const half = match?.[3] ?? (/^(?:am|pm)$/.test(following) ? following : undefined);
  const minute = Number(match?.[2] ?? 0);
  const hour = to24Hours(named ?? Number(match?.[1]), half);
  if (hour === null || minute > 59) return null;
  // The numbers in "at 20 %" and "in 5 minutes" are not clock times.
  if (match?.[2] === undefined && /^(?:%|percent|ms)$/.test(following)) return null;
  if (match?.[2] === undefined && half === undefined && unitMs(following) !== null) {
    if (named === undefined && following !== "h") return null;
  }
  let next = index + (half === following && half !== undefined ? 2 : 1);
  if (/^(?:utc|gmt|z|o'clock|oclock|h)$/.test(words[next] ?? "")) next += 1;
  const offsetMs = hour * hourMs + minute * minuteMs;
  const today = startOfDay(day.nowMs) + offsetMs;
  const atMs =
    day.dayStartMs === undefined
      ? today > day.nowMs
        ? today - dayMs
        : today
      : startOfDay(day.dayStartMs) + offsetMs;
  const label = new Date(atMs).toISOString().slice(11, 16);
  const isBareNumber = match?.[2] === undefined && half === undefined && named === undefined;
  return { ...clockTime(atMs, label, next), needsOpener: isBareNumber, isBareNumber };
}

function to24Hours(hour: number, half: string | undefined): number | null {
  if (half === "pm") return hour >= 1 && hour <= 12 ? (hour % 12) + 12 : null;
  if (half === "am") return hour >= 1 && hour <= 12 ? hour % 12 : null;
  return hour <= 23 ? hour : null;
}

function clockTime(atMs: number, label: string, next: number): Span {
  return { fromMs: atMs, toMs: atMs, label, next, isClockTime: true };
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
