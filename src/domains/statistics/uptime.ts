/** Final runs of some stretch of time, counted by verdict. Unknown ones are not asked for. */
export interface RunCounts {
  readonly passing: number;
  readonly degraded: number;
  readonly failing: number;
}

/**
 * The one formula of uptime, from 0 to 1: the share of the runs that reached a verdict in which
 * the target answered. Degraded is up. A run that learned nothing counts neither way. Null when
 * no run reached a verdict.
 */
export function computeAvailability({ passing, degraded, failing }: RunCounts): number | null {
  const known = passing + degraded + failing;
  if (known === 0) return null;
  // A failure among more runs than a double can tell apart must still show.
  const ratio = (passing + degraded) / known;
  return failing > 0 ? Math.min(ratio, 1 - Number.EPSILON) : ratio;
}

/** To the thousandth of a percent and downward: one failure is enough never to be 100. */
export function toAvailabilityPercent(ratio: number): number {
  if (ratio >= 1) return 100;
  // The small term undoes the binary fraction, so that 0.9995 stays 99.95.
  const thousandths = Math.floor(ratio * 100_000 + 1e-6);
  return Math.min(Math.max(thousandths, 0), 99_999) / 1_000;
}

export function formatAvailability(ratio: number | null): string {
  return ratio === null ? "no data" : `${toAvailabilityPercent(ratio)}%`;
}
