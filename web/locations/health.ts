/** Decides the health of a location. */
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

/** Above this, a clock counts as wrong. The timestamps of its runs are corrected anyway. */
export const wrongClockMs = 2_000;

export function isClockWrong({ clockSkewMs }: { readonly clockSkewMs: number | null }): boolean {
  return clockSkewMs !== null && Math.abs(clockSkewMs) > wrongClockMs;
}

export interface Health {
  readonly state: "passing" | "degraded" | "failing" | "unknown";
  readonly text: string;
}

/** One live probe is enough. The result is the worst state among the live probes. */
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

/** A private location is served only by its own probes. */
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
