import type { CheckState, FinalResult } from "../state.ts";
import type { Watched } from "../watch-list.ts";

/** Runs that were due between two that are recorded. Results of them may still come. */
export interface RunGap {
  /** Null: at any place, as places take turns. */
  readonly location: string | null;
  /** The runs before and after, or the moment from which runs are due; none is in the gap. */
  readonly afterMs: number;
  readonly beforeMs: number;
  readonly dueCount: number;
}

/** What was due between a new run and the newest one known; null: nothing, or nobody knows. */
export function findGap(
  previous: CheckState | null,
  final: Pick<FinalResult, "location" | "dueAtMs">,
  { kind, plan, places, settings, sinceMs }: Watched,
): RunGap | null {
  if (!kind.isOrdered) return null;
  const { location, dueAtMs } = final;
  if (settings.runParallel && !places.includes(location)) return null;
  const { splayMs, periodMs } = plan;
  const heardMs = settings.runParallel
    ? previous !== null && Object.hasOwn(previous.locations, location)
      ? previous.locations[location]?.atMs
      : undefined
    : previous?.lastRunAtMs;
  const afterMs = Math.max(heardMs ?? 0, sinceMs);
  const next = Math.floor((afterMs - splayMs) / periodMs) + 1;
  const dueCount = Math.ceil((dueAtMs - splayMs) / periodMs) - next;
  if (dueCount <= 0) return null;
  return { location: settings.runParallel ? location : null, afterMs, beforeMs: dueAtMs, dueCount };
}
