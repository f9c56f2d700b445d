/** Decides when an offline private location is reported. Pure. */

export interface LocationFacts {
  /** True if a trusted probe is online at the location. */
  readonly isServed: boolean;
  /** When a probe was last online; `null` if never, so that the location is not in use yet. */
  readonly servedAtMs: number | null;
  /** `null` if the location is not reported as offline. */
  readonly reportedAtMs: number | null;
}

/** Longer than a probe takes to restart or to fail over to another server. */
export const silentAfterMs = 120_000;

export type LocationDecision = "report-outage" | "report-return" | "none";

/** A server that has just started has not received heartbeats yet, so it waits the same time. */
export function decideOnLocation(
  { isServed, servedAtMs, reportedAtMs }: LocationFacts,
  { nowMs, awakeSinceMs }: { readonly nowMs: number; readonly awakeSinceMs: number },
): LocationDecision {
  if (isServed) return reportedAtMs === null ? "none" : "report-return";
  if (servedAtMs === null || reportedAtMs !== null) return "none";
  const silentMs = nowMs - Math.max(servedAtMs, awakeSinceMs);
  return silentMs >= silentAfterMs ? "report-outage" : "none";
}
