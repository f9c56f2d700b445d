import { BoundedMap } from "../../platform/bounded-map.ts";

/**
 * Conversion between instants and local times of a time zone. A *local time* is a number of
 * milliseconds since 1970 on the local clock, so that adding days and weeks is arithmetic. A
 * conversion by Temporal takes fifty microseconds. Temporal is therefore used only to load the UTC
 * offsets of a time zone, once for each calendar year. All conversions are then arithmetic.
 */
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;

/** Range of times that schedules support. */
export const minTimeMs = Date.UTC(2000, 0, 1);
export const maxTimeMs = Date.UTC(2200, 0, 1);

/** A period with a constant offset from UTC. The period ends when the next period starts. */
interface Period {
  readonly startsAtMs: number;
  readonly offsetMs: number;
}

/** The periods of constant UTC offset in one year, including two days before and after it. */
interface ZoneYear {
  readonly fromMs: number;
  readonly toMs: number;
  readonly periods: readonly Period[];
}

function loadYear(name: string, year: number): ZoneYear {
  const fromMs = Date.UTC(year, 0, 1);
  const toMs = Date.UTC(year + 1, 0, 1);
  const periods: Period[] = [];
  let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(
    fromMs - 2 * dayMs,
  ).toZonedDateTimeISO(name);
  while (at !== null && at.epochMilliseconds < toMs + 2 * dayMs) {
    periods.push({
      startsAtMs: periods.length === 0 ? Number.NEGATIVE_INFINITY : at.epochMilliseconds,
      offsetMs: Math.round(at.offsetNanoseconds / 1_000_000),
    });
    at = at.getTimeZoneTransition("next");
  }
  return { fromMs, toMs, periods };
}

/** A time zone with a cache of the requested years. */
export class Zone {
  readonly #name: string;
  readonly #years = new Map<number, ZoneYear>();
  #recent: ZoneYear;

  constructor(name: string) {
    this.#name = name;
    this.#recent = this.#find(minTimeMs);
  }

  #find(timeMs: number): ZoneYear {
    const year = new Date(Math.min(Math.max(timeMs, minTimeMs), maxTimeMs)).getUTCFullYear();
    let found = this.#years.get(year);
    if (found === undefined) {
      found = loadYear(this.#name, year);
      this.#years.set(year, found);
    }
    return found;
  }

  #listPeriods(timeMs: number): readonly Period[] {
    if (timeMs < this.#recent.fromMs || timeMs >= this.#recent.toMs) {
      this.#recent = this.#find(timeMs);
    }
    return this.#recent.periods;
  }

  toLocal(atMs: number): number {
    const period = this.#listPeriods(atMs).findLast(({ startsAtMs }) => startsAtMs <= atMs);
    return atMs + (period?.offsetMs ?? 0);
  }

  /**
   * Returns the instant of a local time. A local time that is skipped when clocks change becomes
   * the first instant after the skipped period. A local time that occurs twice becomes its first
   * occurrence. The order of local times is therefore preserved.
   */
  toInstant(localMs: number): number {
    const periods = this.#listPeriods(localMs);
    for (let index = 0; index < periods.length; index += 1) {
      const { startsAtMs, offsetMs } = periods[index] as Period;
      const endsAtMs = periods[index + 1]?.startsAtMs ?? Number.POSITIVE_INFINITY;
      // Use the first period that has not ended at the local time. If it has not started either,
      // the local time is skipped when clocks change.
      if (localMs - offsetMs < endsAtMs) return Math.max(startsAtMs, localMs - offsetMs);
    }
    return localMs;
  }
}

const zones = new BoundedMap<string, Zone>(200);

/** Returns the time zone with the given IANA name, which the caller must have validated. */
export function getZone(name: string): Zone {
  return zones.get(name) ?? zones.getOrCreate(name, (one) => new Zone(one));
}

/** Parses a time of day such as `09:30`. The caller must have validated the format. */
export function parseTimeOfDay(text: string): number {
  return Number(text.slice(0, 2)) * hourMs + Number(text.slice(3, 5)) * minuteMs;
}

/** Parses a local time such as `2026-11-16T09:00`. The caller must have validated the format. */
export function parseLocalTime(text: string): number {
  return Date.parse(`${text}Z`);
}

export function formatLocalTime(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 16);
}

/** Whether a local time is in the years that schedules support, and exists, unlike 31 February. */
export function isLocalTime(text: string): boolean {
  const localMs = parseLocalTime(text);
  const isInRange = localMs >= minTimeMs && localMs < maxTimeMs - weekMs;
  return isInRange && formatLocalTime(localMs) === text;
}
