import { hash } from "node:crypto";

interface ScheduleSettings {
  readonly checkId: string;
  /** Minutes between runs. 0 means several runs per minute, every `frequencyOffset` seconds. */
  readonly frequencyMinutes: number;
  readonly frequencyOffset: number | null;
}

/** Due times of a check. Run n is due at `splayMs + n × periodMs` since the epoch. */
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
 * Returns the due times of a check. They depend only on the id and the settings of the check, so a
 * restart or a different server does not shift them. `frequencyOffset` shifts the due times within
 * the period. Its unit is a tenth of a minute for periods from a minute to an hour, and an hour for
 * longer periods. Without an offset, or if the period is shorter than a minute, a hash of the
 * check's id shifts the due times. These checks are thus spread evenly.
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

/** Returns the number of the run that is due at the time, or of the last run before that time. */
export function runNumberOf(plan: SchedulePlan, dueAtMs: number): number {
  return Math.floor((dueAtMs - plan.splayMs) / plan.periodMs);
}

/**
 * Chooses the locations of a run. Round robin uses the run number, so that no state is needed. Each
 * check starts at a different location: checks with the same frequency have the same run numbers,
 * and would otherwise all use the same location.
 */
export function chooseLocations(choice: LocationChoice): readonly string[] {
  const { checkId, runNumber, locations, runParallel } = choice;
  if (runParallel || locations.length === 0) return locations;
  const count = locations.length;
  const index = (((runNumber + firstOf(checkId)) % count) + count) % count;
  return locations.slice(index, index + 1);
}

/** Returns a number that is constant per check but random among checks: the end of its UUID. */
function firstOf(checkId: string): number {
  return Number.parseInt(checkId.slice(-8), 16) || 0;
}

/** Spreads checks evenly over the period. The modulo of 48 hash bits has a negligible bias. */
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

/**
 * A new check that is due within this time waits for its due time instead of running immediately.
 */
const soonMs = 10_000;
/**
 * Maximum number of new checks that run immediately within `soonMs`. If more checks are new, for
 * example after an import, the remaining checks wait for their due times, which are spread over the
 * period.
 */
const maxAtOnce = 100;

/**
 * Selects the new and activated checks that run immediately. Without this selection, the first
 * result of an hourly check could take an hour. Checks beyond the limit wait for their due times,
 * so that an import of thousands of checks causes no burst.
 */
export class FirstRuns {
  readonly #checkIds = new Set<string>();
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** Decides whether the check runs immediately. */
  offer({ checkId, plan }: PlannedCheck, nowMs: number): boolean {
    if (nextDueAtMs(plan, nowMs) - nowMs <= soonMs) return false;
    // At most `maxAtOnce` checks are selected in a time window of `soonMs`. If the start of the
    // window is in the future, the system clock was set back, so a new window starts.
    if (nowMs < this.#windowStartMs || nowMs - this.#windowStartMs >= soonMs) {
      this.#windowStartMs = nowMs;
      this.#count = 0;
    }
    if (this.#count >= maxAtOnce) return false;
    this.#count += 1;
    this.#checkIds.add(checkId);
    return true;
  }

  /** Returns whether the check was selected to run immediately, and removes the selection. */
  take(checkId: string): boolean {
    return this.#checkIds.delete(checkId);
  }
}
