import { Cron } from "croner";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { formatDuration } from "../../../platform/text/time.ts";

export const units = ["seconds", "minutes", "hours", "days"] as const;
export type Unit = (typeof units)[number];

const unitMs: Readonly<Record<Unit, number>> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

export const minPeriodMs = 30_000;
export const maxPeriodMs = 365 * 86_400_000;
/**
 * Minimum tolerance for a ping that arrives before its expected time, because clocks may differ. A
 * longer grace period makes the tolerance longer too. The tolerance is never longer than half a
 * period, even if half a period is shorter than this minimum.
 */
const leastEarlyMs = 60_000;

export interface Schedule {
  readonly period: number;
  readonly periodUnit: Unit;
  readonly grace: number;
  readonly graceUnit: Unit;
  /** Cron expression of the job, used instead of a period. */
  readonly cron: string | null;
  readonly timezone: string;
}

function toMs(amount: number, unit: Unit): number {
  return Math.round(amount * unitMs[unit]);
}

export function periodMsOf({ period, periodUnit }: Schedule): number {
  return toMs(period, periodUnit);
}

export function graceMsOf({ grace, graceUnit }: Schedule): number {
  return toMs(grace, graceUnit);
}

/** Occurrences of one cron expression in one time zone. The latest result is cached. */
interface Occurrences {
  readonly cron: Cron;
  /** For every time from `fromMs` until `nextMs`, the next occurrence is `nextMs`. */
  fromMs: number;
  nextMs: number;
  usualPeriodMs: number | null;
}

const remembered = new BoundedMap<string, Occurrences>(10_000);

/** Returns the cached occurrences, because evaluating a cron expression takes up to 1 ms. */
function findOccurrences(expression: string, timezone: string): Occurrences {
  return remembered.getOrCreate(`${timezone} ${expression}`, () => {
    // A day matches if day of month or day of week matches, as in cron.
    const cron = new Cron(expression, { timezone, mode: "5-part", domAndDow: false });
    return { cron, fromMs: 0, nextMs: 0, usualPeriodMs: null };
  });
}

function findNextMs(occurrences: Occurrences, afterMs: number): number | null {
  const { fromMs, nextMs } = occurrences;
  if (afterMs >= fromMs && afterMs < nextMs) return nextMs;
  const next = occurrences.cron.nextRun(new Date(afterMs));
  if (next === null) return null;
  occurrences.fromMs = afterMs;
  occurrences.nextMs = next.getTime();
  return occurrences.nextMs;
}

/** Returns the first occurrence of the cron expression after a given time. */
function nextOccurrenceMs({ cron, timezone }: Schedule, afterMs: number): number {
  const nextMs = findNextMs(findOccurrences(cron ?? "", timezone), afterMs);
  if (nextMs === null) throw new RangeError("the cron expression has no next occurrence");
  return nextMs;
}

/** Fixed start time of the occurrences that are sampled from a cron expression. */
const sampleFromMs = Date.UTC(2026, 5, 1);
const sampledGaps = 8;

/**
 * Returns the expected interval between pings. For a cron expression, this is the shortest gap
 * between its sampled occurrences.
 */
export function usualPeriodMs(schedule: Schedule): number {
  if (schedule.cron === null) return periodMsOf(schedule);
  const occurrences = findOccurrences(schedule.cron, schedule.timezone);
  occurrences.usualPeriodMs ??= findShortestGapMs(occurrences.cron);
  return occurrences.usualPeriodMs;
}

function findShortestGapMs(cron: Cron): number {
  const times = cron.nextRuns(sampledGaps + 1, new Date(sampleFromMs)).map((at) => at.getTime());
  const gaps = times.slice(1).map((at, place) => at - (times[place] ?? at));
  return Math.min(maxPeriodMs, ...gaps);
}

export function earlyMs(schedule: Schedule): number {
  return Math.min(Math.max(graceMsOf(schedule), leastEarlyMs), usualPeriodMs(schedule) / 2);
}

/**
 * Returns the next expected time after a ping. A ping restarts a period, but it does not shift the
 * occurrences of a cron expression.
 */
export function expectAfterPing(schedule: Schedule, pingMs: number): number {
  if (schedule.cron === null) return pingMs + periodMsOf(schedule);
  return nextOccurrenceMs(schedule, pingMs + earlyMs(schedule));
}

export function expectAfterMiss(schedule: Schedule, missedMs: number, afterMs: number): number {
  if (schedule.cron !== null) return nextOccurrenceMs(schedule, Math.max(missedMs, afterMs));
  const periodMs = periodMsOf(schedule);
  const skipped = Math.max(0, Math.floor((afterMs - missedMs) / periodMs));
  return missedMs + (skipped + 1) * periodMs;
}

export function scheduleKey(schedule: Schedule): string {
  const { cron, timezone } = schedule;
  const when = cron === null ? periodMsOf(schedule) : [cron, timezone];
  return JSON.stringify([when, graceMsOf(schedule)]);
}

const onceADay = /^(\d{1,2}) (\d{1,2}) \* \* \*$/;

function describeCron(cron: string, timezone: string): string {
  const [, minute, hour] = onceADay.exec(cron) ?? [];
  if (minute === undefined || hour === undefined) return `cron ${cron} ${timezone}`;
  return `every day at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")} ${timezone}`;
}

/** Formats a schedule like "every 5 min, grace 30 s". */
export function describeSchedule(schedule: Schedule): string {
  const { cron, timezone } = schedule;
  const graceMs = graceMsOf(schedule);
  const when =
    cron === null
      ? `every ${formatDuration(periodMsOf(schedule))}`
      : describeCron(cron.trim().replaceAll(/\s+/g, " "), timezone);
  return `${when}, ${graceMs === 0 ? "no grace" : `grace ${formatDuration(graceMs)}`}`;
}

/** Returns what is wrong with a cron expression; `null` if it is valid. */
export function findCronFault(expression: string, timezone: string): string | null {
  let cron: Cron;
  try {
    cron = new Cron(expression, { timezone, mode: "5-part", domAndDow: false });
  } catch {
    return "must be a cron expression of five fields, such as 0 3 * * *";
  }
  return cron.nextRun(new Date(sampleFromMs)) === null ? "never matches" : null;
}
