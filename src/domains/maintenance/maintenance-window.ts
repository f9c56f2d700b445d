import {
  buildWallMs,
  countDaysInMonth,
  isTimeZone,
  splitWallDate,
  toInstantMs,
  toWallMs,
} from "./zoned-time.ts";

export const repeatUnits = ["DAY", "WEEK", "MONTH"] as const;
export type RepeatUnit = (typeof repeatUnits)[number];

export interface MaintenanceWindow {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** A name of the IANA database. The window comes back at the same wall time there. */
  readonly timeZone: string;
  /** Null: 1, if there is a unit. */
  readonly repeatInterval: number | null;
  /** Null: the window is there once. */
  readonly repeatUnit: RepeatUnit | null;
  /** The last moment at which it may start again; what has started then goes on to its end. */
  readonly repeatEndsAtMs: number | null;
  readonly tags: readonly string[];
  readonly pauseAllChecks: boolean;
  readonly silenceAllAlerts: boolean;
  readonly silenceAlertsTags: readonly string[];
}

export interface Occurrence {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** The end of the year 9999: later moments cannot be written in four digits. */
export const lastMomentMs = 253_402_300_799_999;
const dayMs = 86_400_000;
const maxRepeatInterval = 10_000;

export type WindowFault =
  | "starts-at-out-of-range"
  | "ends-at-out-of-range"
  | "ends-before-it-starts"
  | "time-zone-unknown"
  | "repeat-interval-out-of-range"
  | "repeat-ends-before-it-starts";

/** What is wrong with a window that somebody proposes; null when it is sound. */
export function findWindowFault(window: MaintenanceWindow): WindowFault | null {
  const { startsAtMs, endsAtMs, repeatInterval, repeatEndsAtMs } = window;
  if (!isMoment(startsAtMs)) return "starts-at-out-of-range";
  if (!isMoment(endsAtMs)) return "ends-at-out-of-range";
  if (endsAtMs <= startsAtMs) return "ends-before-it-starts";
  if (!isTimeZone(window.timeZone)) return "time-zone-unknown";
  if (repeatInterval !== null && !isInterval(repeatInterval)) return "repeat-interval-out-of-range";
  if (repeatEndsAtMs !== null && !(repeatEndsAtMs >= startsAtMs)) {
    return "repeat-ends-before-it-starts";
  }
  return null;
}

function isMoment(atMs: number): boolean {
  return Number.isSafeInteger(atMs) && atMs >= 0 && atMs <= lastMomentMs;
}

function isInterval(interval: number): boolean {
  return Number.isInteger(interval) && interval >= 1 && interval <= maxRepeatInterval;
}

/** Any tag in common is enough. A window that names nothing is over nothing, not over all. */
export function appliesTo(window: MaintenanceWindow, tags: readonly string[]): boolean {
  if (window.pauseAllChecks || window.silenceAllAlerts) return true;
  return tags.some((tag) => window.tags.includes(tag) || window.silenceAlertsTags.includes(tag));
}

/** The start is inside, the end is not. */
export function isInWindow(window: MaintenanceWindow, atMs: number): boolean {
  const current = findOccurrence(window, atMs);
  return current !== null && atMs < current.endsAtMs;
}

/** The newest occurrence that has started by then, over or not. All last equally long. */
export function findOccurrence(window: MaintenanceWindow, atMs: number): Occurrence | null {
  if (!(atMs >= window.startsAtMs)) return null;
  const recurrence = findRecurrence(window);
  if (recurrence === null) return firstOccurrence(window);
  return buildOccurrence(window, recurrence, findIndex(window, recurrence, atMs));
}

/** The first that starts after the moment; null when none does. */
export function nextOccurrence(window: MaintenanceWindow, afterMs: number): Occurrence | null {
  if (!(afterMs >= window.startsAtMs)) return firstOccurrence(window);
  const recurrence = findRecurrence(window);
  if (recurrence === null) return null;
  const next = findIndex(window, recurrence, afterMs) + 1;
  const occurrence = buildOccurrence(window, recurrence, next);
  return occurrence !== null && isAllowed(window, occurrence) ? occurrence : null;
}

/** How many came before the one that starts then: the same wherever the window is moved to. */
export function countEarlierOccurrences(window: MaintenanceWindow, startsAtMs: number): number {
  const recurrence = findRecurrence(window);
  return recurrence === null ? 0 : findIndex(window, recurrence, startsAtMs);
}

function firstOccurrence({ startsAtMs, endsAtMs }: MaintenanceWindow): Occurrence {
  return { startsAtMs, endsAtMs };
}

interface Recurrence {
  readonly unit: "DAY" | "MONTH";
  readonly count: number;
  readonly firstWallMs: number;
}

/** A rule that was stored broken does not recur; it must never make a loop that does not end. */
function findRecurrence(window: MaintenanceWindow): Recurrence | null {
  const { repeatUnit, repeatInterval, timeZone } = window;
  const count = repeatInterval ?? 1;
  if (repeatUnit === null || !isInterval(count) || !isTimeZone(timeZone)) return null;
  const firstWallMs = toWallMs(window.startsAtMs, timeZone);
  if (repeatUnit === "MONTH") return { unit: "MONTH", count, firstWallMs };
  return { unit: "DAY", count: repeatUnit === "WEEK" ? count * 7 : count, firstWallMs };
}

/**
 * Which occurrence is the newest that has started. The wall clocks of both moments tell it but
 * for one, since the start may lie later in its day or month than the moment does; so that no
 * more than three are ever looked at, however long ago the window began.
 */
function findIndex(window: MaintenanceWindow, recurrence: Recurrence, atMs: number): number {
  const untilMs = Math.min(atMs, window.repeatEndsAtMs ?? atMs, lastMomentMs);
  if (untilMs < window.startsAtMs) return 0;
  const guess = countSteps(recurrence, toWallMs(untilMs, window.timeZone)) + 1;
  const least = Math.max(0, guess - 3);
  for (let index = guess; index > least; index -= 1) {
    const occurrence = buildOccurrence(window, recurrence, index);
    if (occurrence !== null && occurrence.startsAtMs <= untilMs) return index;
  }
  return least;
}

function countSteps({ unit, count, firstWallMs }: Recurrence, wallMs: number): number {
  const first = splitWallDate(firstWallMs);
  const last = splitWallDate(wallMs);
  const months = (last.year - first.year) * 12 + last.month - first.month;
  if (unit === "MONTH") return Math.floor(months / count);
  const days = Math.round((buildWallMs(last) - buildWallMs(first)) / dayMs);
  return Math.floor(days / count);
}

/** As long as the first, in time that passes: a window of two hours is never one of three. */
function buildOccurrence(
  window: MaintenanceWindow,
  recurrence: Recurrence,
  index: number,
): Occurrence | null {
  // The first is where it was put, even in the second of two hours that look the same.
  if (index === 0) return firstOccurrence(window);
  const startsAtMs = toInstantMs(moveWall(recurrence, index), window.timeZone);
  const durationMs = window.endsAtMs - window.startsAtMs;
  return startsAtMs > lastMomentMs ? null : { startsAtMs, endsAtMs: startsAtMs + durationMs };
}

function moveWall({ unit, count, firstWallMs }: Recurrence, index: number): number {
  if (unit === "DAY") return firstWallMs + index * count * dayMs;
  const { year, month, day } = splitWallDate(firstWallMs);
  const months = month - 1 + index * count;
  const target = { year: year + Math.floor(months / 12), month: (months % 12) + 1 };
  const lastDay = countDaysInMonth(target.year, target.month);
  const dateMs = buildWallMs({ ...target, day: Math.min(day, lastDay) });
  return dateMs + (firstWallMs - buildWallMs({ year, month, day }));
}

function isAllowed(window: MaintenanceWindow, { startsAtMs }: Occurrence): boolean {
  return window.repeatEndsAtMs === null || startsAtMs <= window.repeatEndsAtMs;
}
