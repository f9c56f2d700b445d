/** Formats numbers with their unit and only significant digits. */

const notKnown = "–";

function digits(value: number, places: number): string {
  return value.toLocaleString(undefined, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

/** Formats with three significant digits: "14 µs", "8.31 ms", "240 ms", "1.25 s". */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return notKnown;
  if (ms >= 10_000) return `${digits(ms / 1000, 1)} s`;
  if (ms >= 1_000) return `${digits(ms / 1000, 2)} s`;
  if (ms >= 100) return `${digits(ms, 0)} ms`;
  if (ms >= 10) return `${digits(ms, 1)} ms`;
  if (ms >= 1) return `${digits(ms, 2)} ms`;
  return `${digits(ms * 1000, 0)} µs`;
}

/** Formats "100 %" or "99.95 %", rounded down, so that only exactly 100 shows as 100 %. */
export function formatPercent(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return notKnown;
  if (percent === 100 || percent === 0) return `${percent} %`;
  return `${digits(Math.floor(percent * 100) / 100, 2)} %`;
}

export function formatCount(count: number): string {
  return count.toLocaleString();
}

const byteUnits = ["B", "kB", "MB", "GB", "TB"] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${digits(value, unit === 0 || value >= 100 ? 0 : 1)} ${byteUnits[unit]}`;
}
