/** How a location is, in one word. Pure. */
import { words } from "./words.ts";

export interface HealthFacts {
  readonly servedBy: "own-probe" | "built-in-probe" | "nobody";
  readonly probes: readonly {
    readonly status: "alive" | "silent";
    readonly isSuspect: boolean;
    readonly limitations: readonly string[];
  }[];
}

export interface Health {
  readonly state: "passing" | "degraded" | "failing" | "unknown";
  readonly text: string;
}

/** One live probe is enough; the worst of those that are alive is shown. */
export function decideHealth({ servedBy, probes }: HealthFacts): Health {
  const alive = probes.filter(({ status }) => status === "alive");
  if (alive.some(({ isSuspect }) => isSuspect)) {
    return { state: "degraded", text: words.health.suspect };
  }
  if (alive.some(({ limitations }) => limitations.length > 0)) {
    return { state: "degraded", text: words.health.limited };
  }
  if (alive.length > 0) return { state: "passing", text: words.health.alive };
  if (servedBy === "nobody") return { state: "failing", text: words.health.nobody };
  if (probes.length > 0) return { state: "unknown", text: words.health.silent };
  return { state: "passing", text: words.health.elsewhere };
}
