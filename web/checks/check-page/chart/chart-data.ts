import { formatMs, formatPercent } from "../../../parts/figures.ts";
import type { CheckSeries } from "../queries.ts";

export type Unit = CheckSeries["metric"]["unit"];

const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

export function formatValue(value: number | null, unit: Unit): string {
  if (unit === "milliseconds") return value === 0 ? "0 ms" : formatMs(value);
  if (unit === "percentage") return formatPercent(value);
  if (value === null) return "–";
  return unit === "days" ? `${Math.round(value)} d` : short.format(value);
}

export function formatLoss(percent: number | null): string {
  return formatPercent(percent);
}

/** Formats an axis value without insignificant digits. */
export function formatTick(value: number, unit: Unit): string {
  if (value === 0) return "0";
  if (unit === "percentage") return `${short.format(value)} %`;
  if (unit === "days") return `${short.format(value)} d`;
  if (unit === "score") return short.format(value);
  if (value > 0 && value < 1) return `${short.format(value * 1_000)} µs`;
  return value >= 1_000 ? `${short.format(value / 1_000)} s` : `${short.format(value)} ms`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const exactClock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/**
 * Formats the times of the time axis: midnight as its date, any other time as a time of day, with
 * seconds if a minute has several.
 */
export function formatAxisTimes(seconds: readonly number[]): string[] {
  const [first = 0, next = first + 60] = seconds;
  const time = next - first < 60 ? exactClock : clock;
  return seconds.map((second) => {
    const at = new Date(second * 1_000);
    const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
    return (isMidnight ? day : time).format(at);
  });
}

/** Time slot of a chart. It has only those fields of the API's time slot that the chart needs. */
export interface Slot {
  readonly at: string;
  readonly runs: number;
  readonly failing: number;
  readonly loss: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface Series {
  readonly total: { readonly runs: number };
  readonly slots: readonly Slot[];
}

/** Chart data in the format of uPlot: a list of times, then one list of values per line. */
export type Columns = [number[], ...(number | null)[][]];

/** Earliest and latest time that a chart can show, in Unix seconds. */
export interface Limits {
  /** Time at which the check was created; 0 if unknown. */
  readonly bornSecond: number;
  /** End of the time range of the chart. */
  readonly endSecond: number;
}

/**
 * Returns the start and end of a time slot in Unix seconds. Time before the check was created and
 * time after the end of the chart's time range is cut off.
 */
export function boundSlot(
  { at }: Pick<Slot, "at">,
  slotSeconds: number,
  { bornSecond, endSecond }: Limits,
): { readonly fromSecond: number; readonly toSecond: number } {
  const start = Date.parse(at) / 1_000;
  const fromSecond = Math.min(Math.max(start, bornSecond), start + slotSeconds);
  const toSecond = Math.max(Math.min(start + slotSeconds, endSecond), fromSecond);
  return { fromSecond, toSecond };
}

/** Returns the middle of each time slot, in Unix seconds. */
export function listTimes(slots: readonly Slot[], slotSeconds: number, limits: Limits): number[] {
  return slots.map((slot) => {
    const { fromSecond, toSecond } = boundSlot(slot, slotSeconds, limits);
    return (fromSecond + toSecond) / 2;
  });
}

/** Returns the chart columns: times, minimum, maximum, P50, P95, P99, and previous period's P50. */
export function toColumns(
  { slots }: Series,
  slotSeconds: number,
  limits: Limits,
  before: readonly (number | null)[] = [],
): Columns {
  return [
    listTimes(slots, slotSeconds, limits),
    slots.map(({ min }) => min),
    slots.map(({ max }) => max),
    slots.map(({ p50 }) => p50),
    slots.map(({ p95 }) => p95),
    slots.map(({ p99 }) => p99),
    slots.map((_, place) => before[place] ?? null),
  ];
}

/** Returns the P50 of the previous period for each time slot of the current period. */
export function alignBefore(
  { slots }: Series,
  before: Series,
  distances: { readonly periodSeconds: number; readonly slotSeconds: number },
): (number | null)[] {
  return slots.map(({ at }) => {
    const second = Date.parse(at) / 1_000 - distances.periodSeconds;
    return findSlot(before, second, distances.slotSeconds)?.slot.p50 ?? null;
  });
}

/** Returns the indexes of isolated values, which a line chart would not show. */
export function listLonely(values: readonly (number | null | undefined)[]): number[] {
  const isThere = (place: number) => (values[place] ?? null) !== null;
  return [...values.keys()].filter(
    (place) => isThere(place) && ![-2, -1, 1, 2].some((step) => isThere(place + step)),
  );
}

/** Returns the bar heights: the packet loss if measured, otherwise the share of failed runs. */
export function listBars({ slots }: Series): {
  readonly isLoss: boolean;
  readonly shares: number[];
} {
  const isLoss = slots.some(({ loss }) => loss !== null);
  const shares = slots.map((slot) => {
    const failed = slot.runs === 0 ? 0 : slot.failing / slot.runs;
    return isLoss ? Math.max((slot.loss ?? 0) / 100, slot.loss === null ? failed : 0) : failed;
  });
  return { isLoss, shares };
}

/** Whether any slot has a measured value. Heartbeats, for example, measure nothing. */
export function hasValues(series: readonly Series[]): boolean {
  return series.some(({ slots }) => slots.some(({ max }) => max !== null));
}

export function hasRuns(series: readonly Series[]): boolean {
  return series.some(({ total }) => total.runs > 0);
}

/** Returns the slot of a chart that contains a time, or `null` if no slot contains it. */
export function findSlot(
  { slots }: Series,
  second: number,
  slotSeconds: number,
): { readonly slot: Slot; readonly place: number } | null {
  const [first] = slots;
  if (first === undefined) return null;
  const place = Math.floor((second - Date.parse(first.at) / 1_000) / slotSeconds);
  const slot = slots[place];
  return slot === undefined ? null : { slot, place };
}
