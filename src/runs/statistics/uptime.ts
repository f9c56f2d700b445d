/** Number of final runs with a known verdict in a time range. */
interface RunCounts {
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
}

/**
 * Returns the uptime from 0 to 1: the share of runs that were passing or degraded. Runs with an
 * unknown verdict do not count. Returns `null` if no run has a verdict. No other code may compute
 * uptime.
 */
export function computeAvailability({ passing, degraded, failing }: RunCounts): number | null {
  const known = passing + degraded + failing;
  if (known === 0) return null;
  // The result is less than 1 if any run failed, even if floating-point rounding yields 1.
  const ratio = (passing + degraded) / known;
  return failing > 0 ? Math.min(ratio, 1 - Number.EPSILON) : ratio;
}

/** Converts a share to a percentage, rounded down so that a single failure never shows 100 %. */
export function toAvailabilityPercent(ratio: number): number {
  if (ratio >= 1) return 100;
  // The small term compensates for inexact binary fractions, so that 0.9995 yields 99.95.
  const thousandths = Math.floor(ratio * 100_000 + 1e-6);
  return Math.min(Math.max(thousandths, 0), 99_999) / 1_000;
}

export function formatAvailability(ratio: number | null): string {
  return ratio === null ? "no data" : `${toAvailabilityPercent(ratio)} %`;
}
