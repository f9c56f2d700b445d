import { pattern } from "../../platform/text/patterns.ts";
import {
  dayMs,
  hourMs,
  lengthOfMonth,
  minuteMs,
  readAmount,
  readDuration,
  readTimePoint,
  type Span,
  startOfDay,
  startOfMonth,
  startOfWeek,
  startOfYear,
  unitMs,
  weekMs,
} from "./moment.ts";

/** The time window that a question is about. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** Description of the window for answers, such as "yesterday" or "the last 24 hours". */
  readonly label: string;
}

/**
 * Extends "today", "this week" and "this month" to the end of their period. Returns all other
 * windows unchanged.
 */
export function extendToPeriodEnd(window: TimeWindow): TimeWindow {
  const lengths: Readonly<Record<string, number>> = {
    today: dayMs,
    "this week": weekMs,
    "this month": lengthOfMonth(window.fromMs + 15 * dayMs),
  };
  const length = lengths[window.label];
  return length === undefined ? window : { ...window, toMs: window.fromMs + length };
}

interface TimeReading {
  readonly window: TimeWindow | null;
  /** Second window of a comparison, as in "this week with last week". */
  readonly second: TimeWindow | null;
  /** Indexes of the words that describe the time. */
  readonly used: ReadonlySet<number>;
  /** Whether the only time in the question is "now". */
  readonly isNow: boolean;
}

/** Time that is added before and after a clock time to form a window. */
const aroundMs = 15 * minuteMs;

interface Found {
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
  readonly next: number;
}

/** Reads the times in the words from left to right, and returns at most two windows. */
export function readTime(words: readonly string[], nowMs: number): TimeReading {
  const used = new Set<number>();
  const windows: TimeWindow[] = [];
  let isNow = false;
  for (let index = 0; index < words.length; ) {
    const nowLength = countNowWords(words, index);
    if (nowLength > 0) {
      // "until now" specifies the end of a time window. It is not a question about the present.
      isNow ||= !/^(?:until|till|to)$/.test(words[index - 1] ?? "");
      for (let at = index; at < index + nowLength; at += 1) used.add(at);
      index += nowLength;
      continue;
    }
    const found = findWindow(words, index, nowMs);
    if (found === null) {
      index += 1;
      continue;
    }
    const last = windows.at(-1);
    const hours = last === undefined ? null : narrow(last, found);
    if (hours !== null) windows[windows.length - 1] = hours;
    else if (windows.length < 2) windows.push(toWindow(found));
    for (let at = index; at < found.next; at += 1) used.add(at);
    index = found.next;
  }
  const [window = null, second = null] = windows;
  return { window, second, used, isNow: isNow && window === null };
}

/**
 * Reads times like `readTime`, but in the user's time zone: "this morning" starts at the user's
 * local morning. Uses the current UTC offset, so times on the other side of a clock change are off
 * by one hour.
 */
export function readTimeInZone(
  words: readonly string[],
  nowMs: number,
  offsetMs: number,
): TimeReading {
  const { window, second, ...rest } = readTime(words, nowMs + offsetMs);
  const toUtc = (one: TimeWindow | null) =>
    one && { ...one, fromMs: one.fromMs - offsetMs, toMs: one.toMs - offsetMs };
  return { ...rest, window: toUtc(window), second: toUtc(second) };
}

/** Combines a day and hours, in either order, as in "yesterday between 10:00 and 12:00". */
function narrow(one: TimeWindow, other: Found): TimeWindow | null {
  const isDay = ({ fromMs, toMs, label }: TimeWindow) =>
    fromMs === startOfDay(fromMs) && (toMs - fromMs === dayMs || label === "today");
  const isHours = ({ label }: TimeWindow) => /^between \d\d:\d\d and \d\d:\d\d$/.test(label);
  const [day, hours] = isDay(one) ? [one, other] : [other, one];
  if (!isDay(day) || !isHours(hours)) return null;
  const shiftMs = day.fromMs - startOfDay(hours.fromMs);
  const { fromMs, toMs, label } = hours;
  return { fromMs: fromMs + shiftMs, toMs: toMs + shiftMs, label: `${day.label} ${label}` };
}

function toWindow({ fromMs, toMs, label }: Found): TimeWindow {
  return { fromMs: Math.max(0, fromMs), toMs: Math.max(fromMs + 1, toMs), label };
}

function countNowWords(words: readonly string[], index: number): number {
  const text = words.slice(index, index + 3).join(" ");
  const match = pattern`
      ^(?:right now|at the moment|at present|at this|just now|as of now|now|currently|presently
      |atm)\b`.exec(text);
  if (match === null) return 0;
  return match[0].split(" ").length;
}

function findWindow(words: readonly string[], index: number, nowMs: number): Found | null {
  return (
    readBetween(words, index, nowMs) ??
    readSince(words, index, nowMs) ??
    readRolling(words, index, nowMs) ??
    readCalendar(words, index, nowMs) ??
    readAgo(words, index, nowMs) ??
    readSpan(words, index, nowMs) ??
    readBareDuration(words, index, nowMs)
  );
}

/** Reads a window with a start and an end, as in "between A and B" or "from A to B". */
function readBetween(words: readonly string[], index: number, nowMs: number): Found | null {
  const opener = words[index];
  if (opener !== "between" && opener !== "from") return null;
  const joiners = opener === "between" ? ["and", "to"] : ["to", "until", "till", "through"];
  const first = readPoint(words, skipArticles(words, index + 1), nowMs);
  if (first === null || !joiners.includes(words[first.next] ?? "")) return null;
  const at = skipArticles(words, first.next + 1);
  const isNow = words[at] === "now" || words[at] === "today";
  const second = isNow
    ? { fromMs: nowMs, toMs: nowMs, isClockTime: true, next: at + 1, label: "now" }
    : (readPoint(words, at, nowMs, first.fromMs) ?? null);
  if (second === null) return null;
  const endMs = second.isClockTime ? second.fromMs : second.toMs;
  const [fromMs, toMs] = endMs < first.fromMs ? [endMs, first.fromMs] : [first.fromMs, endMs];
  return { fromMs, toMs, label: `between ${first.label} and ${second.label}`, next: second.next };
}

/**
 * Reads a window that has only a start and ends now, as in "since Monday", "after 14:00" or "from
 * yesterday on".
 */
function readSince(words: readonly string[], index: number, nowMs: number): Found | null {
  const opener = words[index];
  if (opener === "since" || opener === "after") return readStart(words, index + 1, nowMs);
  if (opener !== "from") return null;
  const start = readStart(words, index + 1, nowMs);
  const isOpenEnded = start !== null && /^(?:on|onwards?)$/.test(words[start.next] ?? "");
  return isOpenEnded ? { ...start, next: start.next + 1 } : null;
}

/** Reads the start of a window that ends now. */
function readStart(words: readonly string[], index: number, nowMs: number): Found | null {
  const at = skipArticles(words, index);
  const ago = readAgo(words, at, nowMs);
  if (ago !== null) {
    const fromMs = ago.fromMs + (ago.toMs - ago.fromMs) / 2;
    return { fromMs, toMs: nowMs, label: `since ${ago.label}`, next: ago.next };
  }
  const calendar = readCalendar(words, at, nowMs);
  if (calendar !== null) {
    return { ...calendar, toMs: nowMs, label: `since ${calendar.label.replace(/^the /, "")}` };
  }
  const point = readPoint(words, at, nowMs);
  if (point === null) return null;
  return { fromMs: point.fromMs, toMs: nowMs, label: `since ${point.label}`, next: point.next };
}

/**
 * Reads a window of a given length. It ends now, as in "the last 3 hours", or starts now, as in
 * "the next 3 hours".
 */
function readRolling(words: readonly string[], index: number, nowMs: number): Found | null {
  const opener = words[index] ?? "";
  if (!["last", "past", "previous", "recent", "next", "coming", "prior"].includes(opener))
    return null;
  const amount = readAmount(words, index + 1);
  const unitAt = amount?.next ?? index + 1;
  const unit = unitMs(words[unitAt] ?? "");
  if (unit === null) return null;
  const isNamed = amount === null && unit.ms >= weekMs && opener !== "past" && opener !== "recent";
  if (isNamed) return null;
  const count = amount?.value ?? 1;
  const lengthMs = Math.min(count * unit.ms, 5 * 366 * dayMs);
  const noun = count === 1 ? unit.name : `${formatCount(count)} ${unit.name}s`;
  const isAhead = opener === "next" || opener === "coming";
  return {
    fromMs: isAhead ? nowMs : nowMs - lengthMs,
    toMs: isAhead ? nowMs + lengthMs : nowMs,
    label: `the ${isAhead ? "next" : "last"} ${count === 1 && unit.name === "day" ? "24 hours" : noun}`,
    next: unitAt + 1,
  };
}

function formatCount(count: number): string {
  return String(Math.round(count * 100) / 100);
}

type Bounds = readonly [number, number, string];

function calendarSpans(nowMs: number): ReadonlyMap<string, Bounds> {
  const day = startOfDay(nowMs);
  const week = startOfWeek(nowMs);
  const month = startOfMonth(nowMs);
  const spans: Readonly<Record<string, Bounds>> = {
    today: [day, nowMs, "today"],
    tonight: [day + 18 * hourMs, day + 30 * hourMs, "tonight"],
    yesterday: [day - dayMs, day, "yesterday"],
    tomorrow: [day + dayMs, day + 2 * dayMs, "tomorrow"],
    "day before yesterday": [day - 2 * dayMs, day - dayMs, "the day before yesterday"],
    "last night": [day - 6 * hourMs, day + 6 * hourMs, "last night"],
    overnight: [day - 6 * hourMs, day + 6 * hourMs, "last night"],
    "yesterday morning": [day - 18 * hourMs, day - 12 * hourMs, "yesterday morning"],
    "yesterday afternoon": [day - 12 * hourMs, day - 6 * hourMs, "yesterday afternoon"],
    "yesterday evening": [day - 6 * hourMs, day, "yesterday evening"],
    "yesterday night": [day - 6 * hourMs, day + 6 * hourMs, "last night"],
    "this morning": [day + 6 * hourMs, day + 12 * hourMs, "this morning"],
    "this afternoon": [day + 12 * hourMs, day + 18 * hourMs, "this afternoon"],
    "this evening": [day + 18 * hourMs, day + dayMs, "this evening"],
    "this week": [week, nowMs, "this week"],
    "this weekend": [week + 5 * dayMs, week + weekMs, "this weekend"],
    "last week": [week - weekMs, week, "last week"],
    "previous week": [week - weekMs, week, "last week"],
    "last weekend": [week - 2 * dayMs, week, "last weekend"],
    "next week": [week + weekMs, week + 2 * weekMs, "next week"],
    "this month": [month, nowMs, "this month"],
    "last month": [startOfMonth(nowMs, -1), month, "last month"],
    "previous month": [startOfMonth(nowMs, -1), month, "last month"],
    "next month": [startOfMonth(nowMs, 1), startOfMonth(nowMs, 2), "next month"],
    "this year": [startOfYear(nowMs), nowMs, "this year"],
    "last year": [startOfYear(nowMs, -1), startOfYear(nowMs), "last year"],
    "this hour": [Math.floor(nowMs / hourMs) * hourMs, nowMs, "this hour"],
  };
  return new Map(Object.entries(spans));
}

/**
 * Reads a calendar window such as "yesterday". If a clock time follows a single word, as in
 * "yesterday at 14:00", returns a window around this time on that day.
 */
function readCalendar(words: readonly string[], index: number, nowMs: number): Found | null {
  const spans = calendarSpans(nowMs);
  for (const length of [3, 2, 1]) {
    if (index + length > words.length) continue;
    const [fromMs, toMs, label] = spans.get(words.slice(index, index + length).join(" ")) ?? [];
    if (fromMs === undefined || toMs === undefined || label === undefined) continue;
    const next = index + length;
    const clock = length === 1 ? readClockAfter(words, next, { fromMs, label }, nowMs) : null;
    return clock ?? { fromMs, toMs: Math.max(toMs, fromMs), label, next };
  }
  return null;
}

function readClockAfter(
  words: readonly string[],
  index: number,
  day: { readonly fromMs: number; readonly label: string },
  nowMs: number,
): Found | null {
  if (words[index] !== "at" && words[index] !== "around") return null;
  const clock = readTimePoint(words, index + 1, nowMs, day.fromMs);
  if (clock === null || !clock.isClockTime) return null;
  return around(clock.fromMs, `${day.label} at ${clock.label}`, clock.next);
}

function around(atMs: number, label: string, next: number): Found {
  return { fromMs: atMs - aroundMs, toMs: atMs + aroundMs, label, next };
}

/**
 * Reads a time such as "2 hours ago" as a window around that time. The window is one unit long, but
 * at least 30 minutes and at most a day.
 */
function readAgo(words: readonly string[], index: number, nowMs: number): Found | null {
  const duration = readDuration(words, index);
  if (duration === null || !["ago", "back", "earlier"].includes(words[duration.next] ?? "")) {
    return null;
  }
  const atMs = nowMs - duration.ms;
  const halfMs = Math.max(aroundMs, Math.min(duration.unitMs / 2, dayMs / 2));
  return {
    fromMs: atMs - halfMs,
    toMs: Math.min(nowMs, atMs + halfMs),
    label: `${duration.label} ago`,
    next: duration.next + 1,
  };
}

/** Reads a single date, weekday, month or clock time as a window. */
function readSpan(words: readonly string[], index: number, nowMs: number): Found | null {
  const opener = words[index] ?? "";
  const isOpened = ["on", "at", "around", "in", "last", "by", "for"].includes(opener);
  const point = readTimePoint(words, isOpened ? skipArticles(words, index + 1) : index, nowMs);
  if (point === null || (point.needsOpener && !isOpened)) return null;
  if (point.isBareNumber && opener !== "at") return null;
  const { fromMs, toMs, label, next, isClockTime } = point;
  if (!isClockTime) return { fromMs, toMs, label, next };
  return readDayAfter(words, point, nowMs) ?? around(fromMs, label, next);
}

/** Reads the day that follows a clock time, as in "at 10:00 yesterday" or "14:00 on Monday". */
function readDayAfter(words: readonly string[], clock: Span, nowMs: number): Found | null {
  const at = words[clock.next] === "on" ? clock.next + 1 : clock.next;
  const day = readCalendar(words, at, nowMs) ?? readTimePoint(words, at, nowMs);
  if (day === null || ("isClockTime" in day && day.isClockTime)) return null;
  const isDay = day.toMs - day.fromMs === dayMs || day.label === "today";
  if (!isDay) return null;
  const atMs = startOfDay(day.fromMs) + (clock.fromMs - startOfDay(clock.fromMs));
  return around(atMs, `${day.label} at ${clock.label}`, day.next);
}

/** Reads a duration without "last" as a window that ends now, as in "24 hours availability". */
function readBareDuration(words: readonly string[], index: number, nowMs: number): Found | null {
  const duration = readDuration(words, index);
  if (duration === null || duration.unitMs < minuteMs) return null;
  // "every 5 minutes" is an interval, not a time window.
  const before = words[index - 1] ?? "";
  if (["every", "each", "than", "a", "an"].includes(before)) return null;
  const label = `the last ${duration.label}`;
  return { fromMs: nowMs - duration.ms, toMs: nowMs, label, next: duration.next };
}

/** Reads the start or the end of a time window. */
function readPoint(
  words: readonly string[],
  index: number,
  nowMs: number,
  dayMsHint?: number,
): Span | null {
  const at = words[index] === "on" || words[index] === "at" ? index + 1 : index;
  const calendar = readCalendar(words, at, nowMs);
  if (calendar !== null) {
    const { fromMs, toMs, label, next } = calendar;
    const isClockTime = toMs - fromMs === 2 * aroundMs;
    return { fromMs: isClockTime ? fromMs + aroundMs : fromMs, toMs, label, next, isClockTime };
  }
  const hint = dayMsHint === undefined ? undefined : startOfDay(dayMsHint);
  return readTimePoint(words, at, nowMs, hint);
}

function skipArticles(words: readonly string[], index: number): number {
  return words[index] === "the" ? index + 1 : index;
}
