/** Wall clocks and the instants they stand for. A wall time is written as if its zone were UTC. */

const dayMs = 86_400_000;
const maxCachedZones = 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** A format costs a hundred times what using it costs, so those in use are kept. */
function getFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  // Zones are few, but their names may be spelled in many ways.
  if (formats.size >= maxCachedZones) formats.clear();
  formats.set(timeZone, format);
  return format;
}

export function isTimeZone(timeZone: string): boolean {
  try {
    getFormat(timeZone);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** What a clock on the wall of the zone shows at the instant. */
export function toWallMs(instantMs: number, timeZone: string): number {
  // Year, month, day and so on, in this order by the calendar. Twice as fast as taking parts.
  const shown = getFormat(timeZone).format(instantMs).match(/\d+/g) ?? [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = shown.map(Number);
  const millisecond = ((instantMs % 1000) + 1000) % 1000;
  return (
    buildWallMs({ year, month, day }) + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
  );
}

/**
 * The instant at which the clock shows the wall time. Shown twice: the first. Never shown, since
 * the clock was set forward over it: as much later as it was set forward.
 */
export function toInstantMs(wallMs: number, timeZone: string): number {
  // No zone is a day or more from UTC, so these two lie before and after any change of the clock.
  const before = findOffsetMs(wallMs - dayMs, timeZone);
  const after = findOffsetMs(wallMs + dayMs, timeZone);
  if (before === after) return wallMs - before;
  const shown = [wallMs - before, wallMs - after]
    .toSorted((one, other) => one - other)
    .find((instantMs) => toWallMs(instantMs, timeZone) === wallMs);
  return shown ?? wallMs - before;
}

function findOffsetMs(instantMs: number, timeZone: string): number {
  return toWallMs(instantMs, timeZone) - instantMs;
}

export interface WallDate {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

/** Date.UTC alone takes the years below 100 for those of the twentieth century. */
export function buildWallMs({ year, month, day }: WallDate): number {
  const cycles = Math.floor(year / 400);
  const daysInCycle = 146_097;
  const inCycle = Date.UTC(2000 + (year - cycles * 400), month - 1, day) - Date.UTC(2000, 0, 1);
  return Date.UTC(2000, 0, 1) + inCycle + (cycles - 5) * daysInCycle * dayMs;
}

export function splitWallDate(wallMs: number): WallDate {
  const date = new Date(wallMs);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  };
}

export function countDaysInMonth(year: number, month: number): number {
  const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
  const startMs = buildWallMs({ year, month, day: 1 });
  return Math.round((buildWallMs({ ...next, day: 1 }) - startMs) / dayMs);
}
