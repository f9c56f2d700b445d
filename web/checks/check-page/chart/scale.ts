/** Chooses the value scale of a chart. */
import type { Series } from "./chart-data.ts";

export const scaleNames = ["clipped", "full", "log"] as const;
export type ScaleName = (typeof scaleNames)[number];

export interface Scale {
  readonly name: ScaleName;
  readonly bottom: number;
  /** Upper end of the scale. It is always a tick, so that the last grid line is at the top. */
  readonly top: number;
  readonly ticks: readonly number[];
}

const mostSteps = 5;
/**
 * Minimum number of P99 values for the calculation of their 95th percentile. If there are fewer P99
 * values, the highest of them is used instead of the percentile.
 */
const fewValues = 8;
const usualShare = 0.95;
/** The default scale is clipped if a value exceeds the usual maximum by more than this factor. */
const outlierFactor = 2;
const headroom = 1.5;

interface Extent {
  readonly lowest: number;
  readonly highest: number;
  /** Usual maximum: the 95th percentile of the P99 values of all time slots. */
  readonly usual: number;
}

function findExtent(series: readonly Series[]): Extent {
  const slots = series.flatMap(({ slots }) => slots);
  const isNumber = (value: number | null) => value !== null;
  const highest = Math.max(0, ...slots.map(({ max }) => max).filter(isNumber));
  const positive = slots.map(({ min }) => min ?? 0).filter((value) => value > 0);
  const p99s = slots
    .map(({ p99 }) => p99)
    .filter(isNumber)
    .sort((one, other) => one - other);
  const place = p99s.length < fewValues ? p99s.length - 1 : Math.floor(p99s.length * usualShare);
  return {
    lowest: positive.length === 0 ? highest : Math.min(...positive),
    highest,
    usual: p99s[Math.min(place, p99s.length - 1)] ?? highest,
  };
}

/** Returns round tick values from 0 to at least `top`. */
export function listTicks(top: number): number[] {
  if (!(top > 0)) return [0, 1];
  const magnitude = 10 ** Math.floor(Math.log10(top));
  const steps = [0.2, 0.25, 0.5, 1, 2].map((part) => part * magnitude);
  const step = steps.find((one) => Math.ceil(top / one - 1e-9) <= mostSteps) ?? 2 * magnitude;
  const count = Math.ceil(top / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, place) => Number((place * step).toPrecision(12)));
}

/**
 * Returns ticks at 1, 2, 5, 10, 20 … around the values. A wide range has ticks only at powers of
 * ten and at its ends.
 */
export function listLogTicks(lowest: number, highest: number): number[] {
  const low = lowest > 0 ? lowest : 1;
  const high = Math.max(highest, low);
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.ceil(Math.log10(high) - 1e-9);
  const powers = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  const all = powers.flatMap((power) =>
    [1, 2, 5].map((digit) => Number((digit * 10 ** power).toPrecision(3))),
  );
  const from = all.findLastIndex((tick) => tick <= low * (1 + 1e-9));
  const to = Math.max(
    all.findIndex((tick) => tick >= high * (1 - 1e-9)),
    from + 1,
  );
  const ticks = all.slice(Math.max(from, 0), to + 1);
  const [bottom = 1, top = 10] = [ticks[0], ticks.at(-1)];
  const isPower = (tick: number) => Number.isInteger(Number(Math.log10(tick).toFixed(9)));
  return ticks.length <= 2 * mostSteps
    ? ticks
    : ticks.filter((tick) => isPower(tick) || tick === bottom || tick === top);
}

function findTop({ highest, usual }: Extent, name: ScaleName): number {
  const isOutlier = name === "clipped" && usual > 0 && highest > outlierFactor * usual;
  return isOutlier ? usual * headroom : highest;
}

/**
 * Chooses the value scale. The default scale cuts off outliers at the top and marks them, because a
 * scale that includes an outlier would flatten all other values.
 */
export function chooseScale(series: readonly Series[], name: ScaleName): Scale {
  const extent = findExtent(series);
  const isLog = name === "log" && extent.highest > 0;
  const ticks = isLog
    ? listLogTicks(extent.lowest, extent.highest)
    : listTicks(findTop(extent, name));
  const [bottom = 0, top = 1] = [ticks[0], ticks.at(-1)];
  return { name: isLog ? "log" : name === "log" ? "full" : name, bottom, top, ticks };
}
