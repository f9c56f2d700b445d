import { hash } from "node:crypto";

interface ScheduleSettings {
  readonly checkId: string;
  /** 0 means sub-minute runs: the offset is then the seconds between runs. */
  readonly frequencyMinutes: number;
  readonly frequencyOffset: number | null;
}

/** Run n is due at `splayMs + n × periodMs` since the epoch. */
export interface SchedulePlan {
  readonly periodMs: number;
  readonly splayMs: number;
}

interface PlannedCheck {
  readonly checkId: string;
  readonly plan: SchedulePlan;
}

interface LocationChoice {
  readonly checkId: string;
  readonly runNumber: number;
  readonly locations: readonly string[];
  readonly runParallel: boolean;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/**
 * Computes the schedule as a pure function of the settings, so that a restart or another process
 * does not shift it. The offset is in tenths of a minute up to hourly frequencies and in hours
 * above. Without an offset, checks are spread evenly by a hash of their id.
 */
export function planSchedule(settings: ScheduleSettings): SchedulePlan {
  const { checkId, frequencyMinutes, frequencyOffset } = settings;
  if (frequencyMinutes === 0) {
    const periodMs = assertPeriod((frequencyOffset ?? 0) * secondMs);
    return { periodMs, splayMs: spread(checkId, periodMs) };
  }
  const periodMs = assertPeriod(frequencyMinutes * minuteMs);
  if (frequencyOffset === null) return { periodMs, splayMs: spread(checkId, periodMs) };
  const stepMs = frequencyMinutes <= 60 ? 6 * secondMs : hourMs;
  return { periodMs, splayMs: (frequencyOffset * stepMs) % periodMs };
}

/** Returns the first due time strictly after the given time. */
export function nextDueAtMs(plan: SchedulePlan, afterMs: number): number {
  return plan.splayMs + (runNumberOf(plan, afterMs) + 1) * plan.periodMs;
}

/** Returns the number of the run due at the given time, or of the last one before it. */
export function runNumberOf(plan: SchedulePlan, dueAtMs: number): number {
  return Math.floor((dueAtMs - plan.splayMs) / plan.periodMs);
}

/**
 * Round robin uses the run number, so that no state is needed. Each check starts at a different
 * location, because runs of one minute have the same number and would all use one location.
 */
export function chooseLocations(choice: LocationChoice): readonly string[] {
  const { checkId, runNumber, locations, runParallel } = choice;
  if (runParallel || locations.length === 0) return locations;
  const count = locations.length;
  const index = (((runNumber + firstOf(checkId)) % count) + count) % count;
  return locations.slice(index, index + 1);
}

/** The last part of a UUID is random. */
function firstOf(checkId: string): number {
  return Number.parseInt(checkId.slice(-8), 16) || 0;
}

/**
 * Uses 48 bits of the hash: the distribution is even to one part in a million at the longest
 * period.
 */
function spread(checkId: string, periodMs: number): number {
  const digest = hash("sha256", `splay:${checkId}`, "hex");
  return Number.parseInt(digest.slice(0, 12), 16) % periodMs;
}

function assertPeriod(periodMs: number): number {
  if (!Number.isSafeInteger(periodMs) || periodMs < secondMs) {
    throw new RangeError(
      `schedule period must be a positive integer of milliseconds, got ${periodMs}`,
    );
  }
  return periodMs;
}

/** A check that is due within this time just waits. */
const soonMs = 10_000;
/** More new checks than this within `soonMs` are a bulk change, whose runs are spread. */
const maxAtOnce = 100;

/**
 * Selects the new and activated checks that run at once. Without it, the first result of an hourly
 * check may take an hour. Checks beyond the limit wait for their due times, so that an import of
 * thousands causes no burst.
 */
export class FirstRuns {
  readonly #checkIds = new Set<string>();
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** Returns whether the check is to run at once. */
  offer({ checkId, plan }: PlannedCheck, nowMs: number): boolean {
    if (nextDueAtMs(plan, nowMs) - nowMs <= soonMs) return false;
    // A window that starts later than now was opened before the clock was set back.
    if (nowMs < this.#windowStartMs || nowMs - this.#windowStartMs >= soonMs) {
      this.#windowStartMs = nowMs;
      this.#count = 0;
    }
    if (this.#count >= maxAtOnce) return false;
    this.#count += 1;
    this.#checkIds.add(checkId);
    return true;
  }

  /** Returns whether the run that is due is the first one, and forgets it. */
  take(checkId: string): boolean {
    return this.#checkIds.delete(checkId);
  }
}
