import { hash } from "node:crypto";

export interface ScheduleSettings {
  readonly checkId: string;
  /** 0 means more often than once a minute: the offset is then the seconds between runs. */
  readonly frequencyMinutes: number;
  readonly frequencyOffset: number | null;
}

/** The run of number n is due at `splayMs + n × periodMs`, counted from the epoch. */
export interface SchedulePlan {
  readonly periodMs: number;
  readonly splayMs: number;
}

export interface LocationChoice {
  readonly checkId: string;
  readonly runNumber: number;
  readonly locations: readonly string[];
  readonly runParallel: boolean;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/**
 * A pure function of the settings: a restart, another process or a pause shifts nothing. An
 * offset counts in tenths of a minute up to hourly, as it may run to ten times the frequency,
 * and in hours above. Without one, checks are spread evenly by a digest of their id.
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

/** The first due time strictly after a moment. */
export function nextDueAtMs(plan: SchedulePlan, afterMs: number): number {
  return plan.splayMs + (runNumberOf(plan, afterMs) + 1) * plan.periodMs;
}

/** The number of the run due at a moment, or of the last one before it. */
export function runNumberOf(plan: SchedulePlan, dueAtMs: number): number {
  return Math.floor((dueAtMs - plan.splayMs) / plan.periodMs);
}

/**
 * Round robin walks the list by the number of the run, so that nothing needs to be remembered. Each
 * check begins elsewhere: runs of one minute have one number, and would all go to one location.
 */
export function chooseLocations(choice: LocationChoice): readonly string[] {
  const { checkId, runNumber, locations, runParallel } = choice;
  if (runParallel || locations.length === 0) return locations;
  const count = locations.length;
  const index = (((runNumber + firstOf(checkId)) % count) + count) % count;
  return locations.slice(index, index + 1);
}

/** The end of an id is chance. */
function firstOf(checkId: string): number {
  return Number.parseInt(checkId.slice(-8), 16) || 0;
}

/** 48 bits of the digest: the remainder is even to one part in a million at the longest period. */
function spread(checkId: string, periodMs: number): number {
  const digest = hash("sha256", `splay:${checkId}`, "hex");
  return Number.parseInt(digest.slice(0, 12), 16) % periodMs;
}

function assertPeriod(periodMs: number): number {
  if (!Number.isSafeInteger(periodMs) || periodMs < secondMs) {
    throw new RangeError(`a schedule needs a period of whole milliseconds, not ${periodMs}`);
  }
  return periodMs;
}
