export const repeatUnits = ["DAY", "WEEK", "MONTH"] as const;
export type RepeatUnit = (typeof repeatUnits)[number];

/** The first opening of a window and its recurrence. */
export interface RecurrenceRule {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** IANA time zone name. The window recurs at the same local time there. */
  readonly timeZone: string;
  /** `null` means 1. */
  readonly repeatInterval: number | null;
  /** `null` if the window does not recur. */
  readonly repeatUnit: RepeatUnit | null;
  /** No occurrence starts after this time; one that has started runs to its end. */
  readonly repeatEndsAtMs: number | null;
}

/** An occurrence of a window, with its index from 0. */
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

/**
 * Accepts identifiers only: unlike other parts of Temporal, the constructor rejects a date with a
 * zone.
 */
export function isTimeZone(timeZone: string): boolean {
  try {
    new Temporal.ZonedDateTime(0n, timeZone);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function toLocal(atMs: number, timeZone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs))
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime();
}

/**
 * By the schedule alone: returns the index of the newest started occurrence; `null` before the
 * first.
 */
export function findRuleIndex(window: RecurrenceRule, atMs: number): number | null {
  if (!(atMs >= window.startsAtMs)) return null;
  const recurrence = findRecurrence(window);
  return recurrence === null ? 0 : findIndex(window, recurrence, atMs);
}

/** By the schedule alone: returns the occurrence with an index; `null` if there is none. */
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

/** An invalid rule in the database does not recur; it must never cause an endless loop. */
function findRecurrence(window: RecurrenceRule): Recurrence | null {
  const { repeatUnit, repeatInterval, timeZone } = window;
  const count = repeatInterval ?? 1;
  if (repeatUnit === null || !isInterval(count) || !isTimeZone(timeZone)) return null;
  const first = toLocal(window.startsAtMs, timeZone);
  if (repeatUnit === "MONTH") return { unit: "months", count, first };
  return { unit: "days", count: repeatUnit === "WEEK" ? count * 7 : count, first };
}

/**
 * Returns the index of the newest occurrence that has started. Counting days or months on the local
 * calendar is exact to within one, because an occurrence may start later in the day or month than
 * the given time. So at most three candidates are tried, however old the window is.
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
 * Every occurrence lasts exactly as long as the first: two hours stay two hours when clocks change.
 */
function buildOccurrence(
  window: RecurrenceRule,
  { unit, count, first }: Recurrence,
  index: number,
): Occurrence | null {
  // The first may lie in the second of two ambiguous hours, so it is never recomputed.
  if (index === 0) return firstOccurrence(window);
  // An ambiguous local time means the first of the two; a skipped one moves forward by the gap. A
  // day that a month lacks becomes the last day of that month.
  const start = first.add({ [unit]: index * count }).toZonedDateTime(window.timeZone);
  const startsAtMs = start.epochMilliseconds;
  const durationMs = window.endsAtMs - window.startsAtMs;
  if (startsAtMs > maxTimeMs) return null;
  return { index, startsAtMs, endsAtMs: startsAtMs + durationMs };
}

function isAllowed(window: RecurrenceRule, { startsAtMs }: Occurrence): boolean {
  return window.repeatEndsAtMs === null || startsAtMs <= window.repeatEndsAtMs;
}
