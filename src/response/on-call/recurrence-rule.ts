import { dayMs } from "./local-time.ts";

/**
 * A recurrence rule of RFC 5545, in the part that calendars write for absences: every second
 * Friday, the first Monday of a month, the 24th of December. Other rules are not supported: a
 * library for all of them (ical.js 2.2.1) never returns from some rules that match no day.
 */
export interface RecurrenceRule {
  readonly frequency: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";
  readonly interval: number;
  readonly count: number;
  /** Last local time at which an occurrence may start. */
  readonly untilMs: number;
  readonly weekdays: readonly Weekday[];
  readonly monthDays: readonly number[];
  /** 1 is January. */
  readonly months: readonly number[];
  /** Weekday on which weeks begin; 0 is Sunday. */
  readonly weekStart: number;
}

interface Weekday {
  /** 0 is Sunday. */
  readonly weekday: number;
  /** The first of a month is 1, its last is -1; 0 is every one. */
  readonly ordinal: number;
}

const weekdayNames = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const known = new Set("FREQ INTERVAL COUNT UNTIL BYDAY BYMONTHDAY BYMONTH WKST".split(" "));

function parseNumbers(text: string, min: number, max: number): number[] {
  const numbers = text
    .split(",")
    .map((part) => (/^[+-]?\d+$/.test(part) ? Number(part) : Number.NaN));
  const areValid = numbers.every((one) => one !== 0 && one >= min && one <= max);
  return areValid ? numbers : [Number.NaN];
}

function parseWeekday(text: string): Weekday {
  const [, ordinal = "", name = ""] = /^([+-]?[1-5])?([A-Z]{2})$/.exec(text) ?? [];
  const weekday = weekdayNames.indexOf(name);
  return { weekday: weekday === -1 ? Number.NaN : weekday, ordinal: Number(ordinal) };
}

/** Whether the rule combines parts in a way that `matches` evaluates as RFC 5545 does. */
function isSupported({ frequency, weekdays, monthDays, months }: RecurrenceRule): boolean {
  const hasOrdinal = weekdays.some(({ ordinal }) => ordinal !== 0);
  if (frequency === "DAILY") return !hasOrdinal;
  if (frequency === "WEEKLY") return !hasOrdinal && monthDays.length === 0;
  if (frequency === "MONTHLY") return true;
  return months.length > 0 || (weekdays.length === 0 && monthDays.length === 0);
}

/**
 * Parses the value of RRULE. `parseUntil` returns the last local time. Returns `null` for a rule
 * that is malformed or not supported.
 */
export function parseRule(
  value: string,
  parseUntil: (text: string) => number,
): RecurrenceRule | null {
  if (value.length > 500) return null;
  const pairs = value
    .toUpperCase()
    .split(";")
    .map((part) => part.split("="));
  const parts = new Map(pairs.map(([name = "", text = ""]) => [name, text]));
  if (parts.size !== pairs.length || [...parts.keys()].some((name) => !known.has(name)))
    return null;
  const numbersOf = (name: string, min: number, max: number) => {
    const text = parts.get(name);
    return text === undefined ? [] : parseNumbers(text, min, max);
  };
  const until = parts.get("UNTIL");
  const rule = {
    frequency: parts.get("FREQ") as RecurrenceRule["frequency"],
    interval: numbersOf("INTERVAL", 1, 1_000)[0] ?? 1,
    count: numbersOf("COUNT", 1, 100_000)[0] ?? Number.POSITIVE_INFINITY,
    untilMs: until === undefined ? Number.POSITIVE_INFINITY : parseUntil(until),
    weekdays: parts.get("BYDAY")?.split(",").map(parseWeekday) ?? [],
    monthDays: numbersOf("BYMONTHDAY", -31, 31),
    months: numbersOf("BYMONTH", 1, 12),
    weekStart: weekdayNames.indexOf(parts.get("WKST") ?? "MO"),
  };
  const numbers = [rule.interval, rule.count, rule.untilMs, ...rule.monthDays, ...rule.months];
  const isValid =
    /^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/.test(rule.frequency ?? "") &&
    ![...numbers, ...rule.weekdays.map(({ weekday }) => weekday)].some(Number.isNaN) &&
    rule.weekStart !== -1;
  return isValid && isSupported(rule) ? rule : null;
}

/** A day of the local calendar. */
interface Day {
  /** Days since 1970-01-01. */
  readonly number: number;
  readonly year: number;
  /** 1 is January. */
  readonly month: number;
  readonly monthDay: number;
  readonly weekday: number;
  readonly daysInMonth: number;
}

function toDay(number: number): Day {
  const date = new Date(number * dayMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    number,
    year,
    month: month + 1,
    monthDay: date.getUTCDate(),
    weekday: date.getUTCDay(),
    daysInMonth: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
  };
}

/** Returns how many periods of the rule lie between two days. */
function countPeriods({ frequency, weekStart }: RecurrenceRule, from: Day, to: Day): number {
  if (frequency === "DAILY") return to.number - from.number;
  if (frequency === "YEARLY") return to.year - from.year;
  if (frequency === "MONTHLY") return (to.year - from.year) * 12 + to.month - from.month;
  const startOf = ({ number, weekday }: Day) => number - ((weekday - weekStart + 7) % 7);
  return (startOf(to) - startOf(from)) / 7;
}

function isNth({ monthDay, daysInMonth }: Day, ordinal: number): boolean {
  if (ordinal === 0) return true;
  return ordinal > 0
    ? Math.ceil(monthDay / 7) === ordinal
    : Math.ceil((daysInMonth - monthDay + 1) / 7) === -ordinal;
}

function matches(rule: RecurrenceRule, first: Day, day: Day): boolean {
  const { frequency, weekdays, monthDays, months } = rule;
  if (countPeriods(rule, first, day) % rule.interval !== 0) return false;
  if (months.length > 0 && !months.includes(day.month)) return false;
  const isOfMonth = (one: number) =>
    one > 0 ? one === day.monthDay : one + day.daysInMonth + 1 === day.monthDay;
  if (monthDays.length > 0 && !monthDays.some(isOfMonth)) return false;
  if (weekdays.length > 0) {
    return weekdays.some((one) => one.weekday === day.weekday && isNth(day, one.ordinal));
  }
  if (frequency === "WEEKLY") return day.weekday === first.weekday;
  if (frequency === "DAILY" || monthDays.length > 0) return true;
  const isMonth = frequency === "MONTHLY" || months.length > 0 || day.month === first.month;
  return isMonth && day.monthDay === first.monthDay;
}

/** Maximum number of days before the range from which the occurrences of a COUNT are counted. */
const maxCountedDays = 3 * 366;

/**
 * Lists the local times in a range of local times at which occurrences start. Returns `null` for a
 * rule with a COUNT that began too long before the range.
 */
export function listStarts(
  rule: RecurrenceRule,
  startMs: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): number[] | null {
  const first = toDay(Math.floor(startMs / dayMs));
  const timeMs = startMs - first.number * dayMs;
  const hasCount = Number.isFinite(rule.count);
  const rangeDay = Math.floor(fromMs / dayMs);
  if (hasCount && rangeDay - first.number > maxCountedDays) return null;
  const starts: number[] = [];
  let count = 0;
  for (let number = hasCount ? first.number : Math.max(first.number, rangeDay); ; number += 1) {
    const atMs = number * dayMs + timeMs;
    if (atMs >= toMs || atMs > rule.untilMs || count >= rule.count) return starts;
    if (!matches(rule, first, toDay(number))) continue;
    count += 1;
    if (atMs >= fromMs) starts.push(atMs);
  }
}
