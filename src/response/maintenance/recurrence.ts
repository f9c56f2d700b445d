import { isTimeZone } from "../../platform/text/time.ts";

export const repeatUnits = ["DAY", "WEEK", "MONTH"] as const;
export type RepeatUnit = (typeof repeatUnits)[number];

/** The first opening of a window and its recurrence. */
export interface RecurrenceRule {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** IANA name of the time zone in which the local time of all occurrences is the same. */
  readonly timeZone: string;
  /** Number of units between two occurrences; `null` means 1. */
  readonly repeatInterval: number | null;
  /** Unit of the recurrence; `null` if the window does not recur. */
  readonly repeatUnit: RepeatUnit | null;
  /**
   * Time after which no occurrence starts; `null` if the recurrence has no end. An occurrence that
   * has started by then is not shortened.
   */
  readonly repeatEndsAtMs: number | null;
}

/** An opening of a window. The index of the first occurrence is 0. */
export interface Occurrence {
  readonly index: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** End of the year 9999, the last year with four digits. */
export const maxTimeMs = 253_402_300_799_999;
const maxRepeatInterval = 10_000;

export function isInterval(interval: number): boolean {
  return Number.isInteger(interval) && interval >= 1 && interval <= maxRepeatInterval;
}

function toLocal(atMs: number, timeZone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs))
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime();
}

/**
 * Returns the index of the newest occurrence that has started according to the schedule alone;
 * `null` before the first occurrence. Changes by people are ignored.
 */
export function findRuleIndex(window: RecurrenceRule, atMs: number): number | null {
  if (!(atMs >= window.startsAtMs)) return null;
  const recurrence = findRecurrence(window);
  return recurrence === null ? 0 : findIndex(window, recurrence, atMs);
}

/** Returns the occurrence with an index, ignoring changes by people; `null` if there is none. */
export function findRuleOccurrence(window: RecurrenceRule, index: number): Occurrence | null {
  if (index < 0) return null;
  if (index === 0) return firstOccurrence(window);
  const recurrence = findRecurrence(window);
  if (recurrence === null) return null;
  const occurrence = buildOccurrence(window, recurrence, index);
  return occurrence !== null && isAllowed(window, occurrence) ? occurrence : null;
}

function firstOccurrence({ startsAtMs, endsAtMs }: RecurrenceRule): Occurrence {
  return { index: 0, startsAtMs, endsAtMs };
}

interface Recurrence {
  readonly unit: "days" | "months";
  readonly count: number;
  readonly first: Temporal.PlainDateTime;
}

/**
 * Returns the recurrence of a window; `null` if the window does not recur. An invalid stored rule
 * is ignored, because it must never cause an endless loop.
 */
function findRecurrence(window: RecurrenceRule): Recurrence | null {
  const { repeatUnit, repeatInterval, timeZone } = window;
  const count = repeatInterval ?? 1;
  if (repeatUnit === null || !isInterval(count) || !isTimeZone(timeZone)) return null;
  const first = toLocal(window.startsAtMs, timeZone);
  if (repeatUnit === "MONTH") return { unit: "months", count, first };
  return { unit: "days", count: repeatUnit === "WEEK" ? count * 7 : count, first };
}

/**
 * Returns the index of the newest occurrence that has started. The number of local days or months
 * since the first occurrence gives an estimate of the index. The estimate is wrong by at most one,
 * for example because an occurrence starts later than the given time on the same day. At most three
 * indexes are therefore tried, however old the window is.
 */
function findIndex(window: RecurrenceRule, recurrence: Recurrence, atMs: number): number {
  const untilMs = Math.min(atMs, window.repeatEndsAtMs ?? atMs, maxTimeMs);
  if (untilMs < window.startsAtMs) return 0;
  const guess = countSteps(recurrence, toLocal(untilMs, window.timeZone)) + 1;
  const least = Math.max(0, guess - 3);
  for (let index = guess; index > least; index -= 1) {
    const occurrence = buildOccurrence(window, recurrence, index);
    if (occurrence !== null && occurrence.startsAtMs <= untilMs) return index;
  }
  return least;
}

function countSteps({ unit, count, first }: Recurrence, last: Temporal.PlainDateTime): number {
  const months = (last.year - first.year) * 12 + last.month - first.month;
  if (unit === "months") return Math.floor(months / count);
  return Math.floor(first.toPlainDate().until(last.toPlainDate()).days / count);
}

/**
 * Returns the occurrence with an index; `null` if it is after the year 9999. Every occurrence has
 * the same duration in milliseconds, even if clocks change during one of them.
 */
function buildOccurrence(
  window: RecurrenceRule,
  { unit, count, first }: Recurrence,
  index: number,
): Occurrence | null {
  // Never recompute the first occurrence: its start may be the second of two instants that have the
  // same local time.
  if (index === 0) return firstOccurrence(window);
  // An ambiguous local time becomes its first instant, and a skipped local time moves forward by
  // the length of the gap. A day that does not exist in a month becomes the last day of that month.
  const start = first.add({ [unit]: index * count }).toZonedDateTime(window.timeZone);
  const startsAtMs = start.epochMilliseconds;
  const durationMs = window.endsAtMs - window.startsAtMs;
  if (startsAtMs > maxTimeMs) return null;
  return { index, startsAtMs, endsAtMs: startsAtMs + durationMs };
}

function isAllowed(window: RecurrenceRule, { startsAtMs }: Occurrence): boolean {
  return window.repeatEndsAtMs === null || startsAtMs <= window.repeatEndsAtMs;
}
