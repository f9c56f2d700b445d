/** Final runs of a time range by verdict, without unknown ones. */
interface RunCounts {
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
}

/**
 * The only formula for uptime, from 0 to 1: the share of runs with a verdict that were passing or
 * degraded. Runs with an unknown verdict do not count. Returns `null` if no run has a verdict.
 */
export function computeAvailability({ passing, degraded, failing }: RunCounts): number | null {
  const known = passing + degraded + failing;
  if (known === 0) return null;
  // A single failure must remain visible even if the ratio rounds to 1.
  const ratio = (passing + degraded) / known;
  return failing > 0 ? Math.min(ratio, 1 - Number.EPSILON) : ratio;
}

/** Rounds down to a thousandth of a percent, so that one failure is never shown as 100 %. */
export function toAvailabilityPercent(ratio: number): number {
  if (ratio >= 1) return 100;
  // The small term compensates for binary fractions, so that 0.9995 stays 99.95.
  const thousandths = Math.floor(ratio * 100_000 + 1e-6);
  return Math.min(Math.max(thousandths, 0), 99_999) / 1_000;
}

export function formatAvailability(ratio: number | null): string {
  return ratio === null ? "no data" : `${toAvailabilityPercent(ratio)} %`;
}
