/** Weekly hours in local time. All functions are pure: they receive the time as a parameter. */

import { isTimeZone } from "./text/time.ts";

export const weekdays = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;
type Weekday = (typeof weekdays)[number];

export interface HoursRange {
  /** Days on which the range starts. */
  readonly days: readonly Weekday[];
  /**
   * Start in local time, such as "22:00". If `to` is not later than `from`, the range ends on the
   * next day.
   */
  readonly from: string;
  readonly to: string;
}

export interface WeekHours {
  /** Name of an IANA time zone. */
  readonly timeZone: string;
  readonly ranges: readonly HoursRange[];
}

const dayMinutes = 24 * 60;
const weekMinutes = 7 * dayMinutes;
/**
 * Maximum number of adjoining ranges that are joined. Without it, the search would not end if the
 * ranges cover the whole week.
 */
const maxJoined = 200;

function parseMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

const lengthOf = ({ from, to }: HoursRange) => {
  const minutes = parseMinutes(to) - parseMinutes(from);
  return minutes > 0 ? minutes : minutes + dayMinutes;
};

/**
 * Returns the instant of a local time. If the local time does not exist because clocks go forward,
 * the result is the next existing time. If it exists twice, the result is the first instant.
 */
function toInstantMs(local: Temporal.PlainDateTime, timeZone: string): number {
  const zoned = local.toZonedDateTime(timeZone, { disambiguation: "compatible" });
  if (zoned.toPlainDateTime().equals(local)) return zoned.epochMilliseconds;
  return zoned.getTimeZoneTransition("previous")?.epochMilliseconds ?? zoned.epochMilliseconds;
}

/** Returns the latest end of the ranges that contain a time; `null` if no range contains it. */
function findRangeEnd({ timeZone, ranges }: WeekHours, atMs: number): number | null {
  const today = Temporal.Instant.fromEpochMilliseconds(atMs)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  let endMs: number | null = null;
  for (const daysAgo of [2, 1, 0]) {
    const day = today.subtract({ days: daysAgo });
    const name = weekdays[day.dayOfWeek - 1];
    for (const range of ranges) {
      if (name === undefined || !range.days.includes(name)) continue;
      const start = day.toPlainDateTime(Temporal.PlainTime.from(range.from));
      const startMs = toInstantMs(start, timeZone);
      if (startMs > atMs) continue;
      const rangeEndMs = toInstantMs(start.add({ minutes: lengthOf(range) }), timeZone);
      if (rangeEndMs > atMs) endMs = Math.max(endMs ?? 0, rangeEndMs);
    }
  }
  return endMs;
}

/**
 * Returns the end of the hours that contain a time; `null` if the time is outside the hours. Ranges
 * that overlap or adjoin are joined. A range includes its start but not its end.
 */
export function findHoursEndMs(hours: WeekHours, atMs: number): number | null {
  let endMs = findRangeEnd(hours, atMs);
  if (endMs === null) return null;
  for (let joined = 0; joined < maxJoined; joined += 1) {
    const next = findRangeEnd(hours, endMs);
    if (next === null) return endMs;
    endMs = next;
  }
  return endMs;
}

/** Returns `atMs` if it is inside the hours; otherwise the start of the next range. */
export function findHoursStartMs(hours: WeekHours, atMs: number): number {
  if (findRangeEnd(hours, atMs) !== null) return atMs;
  const today = Temporal.Instant.fromEpochMilliseconds(atMs)
    .toZonedDateTimeISO(hours.timeZone)
    .toPlainDate();
  const starts = Array.from({ length: 9 }, (_, days) => today.add({ days })).flatMap((day) =>
    hours.ranges
      .filter(({ days }) => days.some((name) => name === weekdays[day.dayOfWeek - 1]))
      .map(({ from }) =>
        toInstantMs(day.toPlainDateTime(Temporal.PlainTime.from(from)), hours.timeZone),
      ),
  );
  return Math.min(...starts.filter((startMs) => startMs > atMs));
}

/** Whether the ranges cover the whole week, so that the hours never end. */
export function coversWeek(ranges: readonly HoursRange[]): boolean {
  const isCovered = new Uint8Array(weekMinutes);
  for (const range of ranges) {
    for (const day of range.days) {
      const start = weekdays.indexOf(day) * dayMinutes + parseMinutes(range.from);
      for (let minute = 0; minute < lengthOf(range); minute += 1) {
        isCovered[(start + minute) % weekMinutes] = 1;
      }
    }
  }
  return isCovered.every((minute) => minute === 1);
}

export interface HoursFault {
  readonly key: string;
  readonly rule: string;
}

/** Returns the fault of the time zone, or `null`. The schema validates the other fields. */
export function findWeekHoursFault({ timeZone }: WeekHours): HoursFault | null {
  // Names start with a letter. A fixed offset such as +01:00 is rejected, because it ignores
  // daylight saving time, which surprises users.
  if (/^[A-Za-z]/.test(timeZone) && isTimeZone(timeZone)) return null;
  return { key: "timeZone", rule: "must be an IANA time zone such as Europe/Berlin" };
}
