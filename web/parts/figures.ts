/** Functions that format numbers with their unit and only significant digits. */

const notKnown = "–";

function digits(value: number, places: number): string {
  return value.toLocaleString(undefined, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

/** Formats a duration with about three significant digits: "14 µs", "8.31 ms", "1.25 s". */
export function formatMs(measuredMs: number | null | undefined): string {
  if (measuredMs === null || measuredMs === undefined) return notKnown;
  // The value is rounded before its unit is chosen: 999.9 ms becomes 1.00 s.
  const ms = measuredMs < 10_000 ? Number(measuredMs.toPrecision(3)) : measuredMs;
  if (ms >= 10_000) return `${digits(ms / 1000, 1)} s`;
  if (ms >= 1_000) return `${digits(ms / 1000, 2)} s`;
  if (ms >= 100) return `${digits(ms, 0)} ms`;
  if (ms >= 10) return `${digits(ms, 1)} ms`;
  if (ms >= 1) return `${digits(ms, 2)} ms`;
  return `${digits(ms * 1000, 0)} µs`;
}

/** Formats a percentage such as "99.95 %", rounded down: only exactly 100 becomes "100 %". */
export function formatPercent(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return notKnown;
  if (percent === 100 || percent === 0) return `${percent} %`;
  // Corrects floating-point errors, because 64.1 * 100 is 6409.999999999999.
  const hundredths = Math.floor(Number((percent * 100).toFixed(6)));
  return `${digits(hundredths / 100, 2)} %`;
}

export function formatCount(count: number): string {
  return count.toLocaleString();
}

const byteUnits = ["B", "kB", "MB", "GB", "TB"] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value between 999.5 and 1,000 would be shown as 1,000, so the next unit is used from 999.5:
  // 999,950 bytes become 1.0 MB instead of 1,000 kB. Whole bytes need no rounding, so their limit
  // is 1,000.
  while (value >= (unit === 0 ? 1000 : 999.5) && unit < byteUnits.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${digits(value, unit === 0 || value >= 100 ? 0 : 1)} ${byteUnits[unit]}`;
}
