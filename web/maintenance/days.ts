/** Computes calendar days, weeks and months in the local time zone. */

/** A local calendar day, such as "2026-11-16". */
export type Day = string;

const pad = (value: number) => String(value).padStart(2, "0");

export function toDay(at: Date): Day {
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}

/** Returns the start of a day in local time. */
export function startOfDay(day: Day): Date {
  const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date);
}

export function addDays(day: Day, count: number): Day {
  const at = startOfDay(day);
  return toDay(new Date(at.getFullYear(), at.getMonth(), at.getDate() + count));
}

/** Returns the first day of the month that is `count` months after the month of `day`. */
export function addMonths(day: Day, count: number): Day {
  const at = startOfDay(day);
  return toDay(new Date(at.getFullYear(), at.getMonth() + count, 1));
}

const firstOfWeek = (day: Day) => addDays(day, -((startOfDay(day).getDay() + 6) % 7));

const listFrom = (first: Day, count: number) =>
  Array.from({ length: count }, (_, index) => addDays(first, index));

/** Returns the days of the week that contains `day`, from Monday to Sunday. */
export const listWeek = (day: Day): readonly Day[] => listFrom(firstOfWeek(day), 7);

/** Returns the days of a month in whole weeks, which may include days of other months. */
export function listMonth(day: Day): readonly Day[] {
  const first = firstOfWeek(`${day.slice(0, 7)}-01`);
  const next = addMonths(day, 1);
  const isShort = addDays(first, 35) >= next;
  return listFrom(first, isShort ? 35 : 42);
}

interface Times {
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Returns the items that overlap the day. */
export function listOfDay<Item extends Times>(items: readonly Item[], day: Day): Item[] {
  const from = startOfDay(day).getTime();
  const to = startOfDay(addDays(day, 1)).getTime();
  return items.filter(
    ({ startsAt, endsAt }) => Date.parse(startsAt) < to && Date.parse(endsAt) > from,
  );
}

/**
 * Returns the number of hours by which the clocks change on a day: 1 for forward, -1 for back, 0
 * for no change.
 */
export function findClockChange(day: Day): number {
  const lengthMs = startOfDay(addDays(day, 1)).getTime() - startOfDay(day).getTime();
  return 24 - lengthMs / 3_600_000;
}

export interface Lane<Item> {
  readonly item: Item;
  /** Start of the item in minutes of local time since midnight. */
  readonly top: number;
  readonly bottom: number;
  readonly lane: number;
  readonly lanes: number;
}

const dayMinutes = 1_440;
const leastMinutes = 30;

function findMinutes(at: string, day: Day): number {
  const moment = new Date(at);
  const today = toDay(moment);
  if (today < day) return 0;
  return today > day ? dayMinutes : moment.getHours() * 60 + moment.getMinutes();
}

/**
 * Returns the end of an occurrence in minutes since midnight. Within one day, the end is computed
 * from the duration, because a local time may occur twice on a day.
 */
function findBottom({ startsAt, endsAt }: Times, day: Day, top: number): number {
  const isWithin = toDay(new Date(startsAt)) === day && toDay(new Date(endsAt)) === day;
  if (!isWithin) return findMinutes(endsAt, day);
  const minutes = (Date.parse(endsAt) - Date.parse(startsAt)) / 60_000;
  return Math.min(dayMinutes, top + minutes);
}

/** Lays out the occurrences of a day. Overlapping occurrences are placed side by side. */
export function layOutDay<Item extends Times>(items: readonly Item[], day: Day): Lane<Item>[] {
  const ends: number[] = [];
  const placed = listOfDay(items, day).map((item) => {
    const top = Math.min(findMinutes(item.startsAt, day), dayMinutes - leastMinutes);
    const bottom = Math.max(findBottom(item, day, top), top + leastMinutes);
    const free = ends.findIndex((end) => end <= top);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = bottom;
    return { item, top, bottom, lane };
  });
  return placed.map((one) => ({ ...one, lanes: Math.max(1, ends.length) }));
}

const lengths = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** Formats a duration in at most two units: "1 h 30 min", "2 d". */
export function formatLength({ startsAt, endsAt }: Times): string {
  let restMs = Math.max(0, Date.parse(endsAt) - Date.parse(startsAt));
  const parts: string[] = [];
  for (const [unitMs, unit] of lengths) {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(" ") || "0 s";
}
