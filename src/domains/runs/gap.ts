import type { FinalResult, RunGap } from "../results/index.ts";
import type { Watched } from "../schedule/index.ts";
import type { CheckState } from "./state.ts";

/**
 * Returns the gap between a new run and the newest recorded one; `null` if there is none or it
 * cannot be determined.
 */
export function findGap(
  previous: CheckState | null,
  final: Pick<FinalResult, "location" | "dueAtMs">,
  { kind, plan, places, settings, sinceMs }: Watched,
): RunGap | null {
  if (!kind.isOrdered) return null;
  const { location, dueAtMs } = final;
  if (settings.runParallel && !places.includes(location)) return null;
  const { splayMs, periodMs } = plan;
  const lastDueMs = settings.runParallel
    ? previous !== null && Object.hasOwn(previous.locations, location)
      ? previous.locations[location]?.atMs
      : undefined
    : previous?.lastRunAtMs;
  const afterMs = Math.max(lastDueMs ?? 0, sinceMs);
  const next = Math.floor((afterMs - splayMs) / periodMs) + 1;
  const dueCount = Math.ceil((dueAtMs - splayMs) / periodMs) - next;
  if (dueCount <= 0) return null;
  return { location: settings.runParallel ? location : null, afterMs, beforeMs: dueAtMs, dueCount };
}
