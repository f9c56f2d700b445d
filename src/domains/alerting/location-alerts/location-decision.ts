/** When the silence of a private location is told. Pure. */

export interface LocationFacts {
  /** A probe that is trusted is alive there. */
  readonly isServed: boolean;
  /** When one last was; null: never, so that nobody has begun to use it. */
  readonly servedAtMs: number | null;
  /** Null: its silence has not been told. */
  readonly toldAtMs: number | null;
}

/** Longer than a probe takes to restart or to find another server. */
export const silentAfterMs = 120_000;

export type LocationDecision = "tell-silence" | "tell-return" | "nothing";

/** A server that has just begun has heard nobody yet: it waits as long as for a probe. */
export function decideOnLocation(
  { isServed, servedAtMs, toldAtMs }: LocationFacts,
  { nowMs, awakeSinceMs }: { readonly nowMs: number; readonly awakeSinceMs: number },
): LocationDecision {
  if (isServed) return toldAtMs === null ? "nothing" : "tell-return";
  if (servedAtMs === null || toldAtMs !== null) return "nothing";
  const silentMs = nowMs - Math.max(servedAtMs, awakeSinceMs);
  return silentMs >= silentAfterMs ? "tell-silence" : "nothing";
}
