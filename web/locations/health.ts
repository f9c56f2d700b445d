/** Decides the health of a location from its probes. */
import { words } from "./words.ts";

export interface HealthFacts {
  readonly servedBy: "own-probe" | "built-in-probe" | "nobody";
  readonly probes: readonly {
    readonly status: "alive" | "silent";
    readonly isSuspect: boolean;
    readonly limitations: readonly string[];
    readonly quarantinedAt: string | null;
    readonly clockSkewMs: number | null;
  }[];
}

/** Clock error above which a probe's clock is shown as wrong. */
export const wrongClockMs = 2_000;

export function isClockWrong({ clockSkewMs }: { readonly clockSkewMs: number | null }): boolean {
  return clockSkewMs !== null && Math.abs(clockSkewMs) > wrongClockMs;
}

export interface Health {
  readonly state: "passing" | "degraded" | "failing" | "unknown";
  readonly text: string;
}

/**
 * Decides the health of a location. One live probe is enough to serve the location, unless it is
 * quarantined. A problem of any live probe that is not quarantined degrades the location.
 */
export function decideHealth({ servedBy, probes }: HealthFacts): Health {
  const living = probes.filter(({ status }) => status === "alive");
  const alive = living.filter(({ quarantinedAt }) => quarantinedAt === null);
  if (living.length > 0 && alive.length === 0) {
    return { state: "failing", text: words.health.quarantined };
  }
  if (alive.some(({ isSuspect }) => isSuspect)) {
    return { state: "degraded", text: words.health.suspect };
  }
  if (alive.some(({ limitations }) => limitations.length > 0)) {
    return { state: "degraded", text: words.health.limited };
  }
  if (alive.some(isClockWrong)) return { state: "degraded", text: words.health.wrongClock };
  if (alive.length > 0) return { state: "passing", text: words.health.alive };
  if (servedBy === "nobody") return { state: "failing", text: words.health.nobody };
  if (probes.length > 0) return { state: "unknown", text: words.health.silent };
  return { state: "passing", text: words.health.elsewhere };
}

/** Decides the health of a private location, which only its own probes can serve. */
export function decidePrivateHealth({
  status,
  probes,
}: Pick<HealthFacts, "probes"> & {
  readonly status: "no-probe-yet" | "served" | "silent";
}): Health {
  if (status === "no-probe-yet") return { state: "unknown", text: words.health.noProbeYet };
  if (status === "silent") return { state: "failing", text: words.health.dark };
  return decideHealth({ servedBy: "own-probe", probes });
}
