import { formatMs, formatPercent } from "../../../parts/figures.ts";
import type { CheckSeries } from "../queries.ts";

export type Unit = CheckSeries["metric"]["unit"];

export function formatValue(value: number | null, unit: Unit): string {
  if (unit === "milliseconds") return value === 0 ? "0 ms" : formatMs(value);
  if (unit === "percentage") return formatPercent(value);
  return value === null ? "–" : `${Math.round(value)} d`;
}

export function formatLoss(percent: number | null): string {
  return formatPercent(percent);
}

const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** Formats an axis value without insignificant digits. */
export function formatTick(value: number, unit: Unit): string {
  if (value === 0) return "0";
  if (unit === "percentage") return `${short.format(value)} %`;
  if (unit === "days") return `${short.format(value)} d`;
  if (value > 0 && value < 1) return `${short.format(value * 1_000)} µs`;
  return value >= 1_000 ? `${short.format(value / 1_000)} s` : `${short.format(value)} ms`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** Formats axis times, with the date at the start of each day. */
export function formatAxisTimes(seconds: readonly number[]): string[] {
  return seconds.map((second) => {
    const at = new Date(second * 1_000);
    const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
    return (isMidnight ? day : clock).format(at);
  });
}
