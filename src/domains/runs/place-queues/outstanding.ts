import {
  chooseLocations,
  type LastRun,
  nextDueAtMs,
  runNumberOf,
  type Watched,
} from "../../schedule/index.ts";

type Planned = Pick<Watched, "checkId" | "plan" | "places" | "sinceMs"> & {
  readonly settings: Pick<Watched["settings"], "runParallel">;
};

/**
 * Returns the due time of the newest run of a check at a location if it has no result yet;
 * otherwise `null`.
 */
export function findOutstanding(
  { checkId, plan, places, settings, sinceMs }: Planned,
  last: Pick<LastRun, "lastDueAtMs" | "locations"> | undefined,
  { place, nowMs }: { readonly place: string; readonly nowMs: number },
): number | null {
  const dueAtMs = nextDueAtMs(plan, nowMs) - plan.periodMs;
  if (dueAtMs <= sinceMs) return null;
  const { runParallel } = settings;
  const runNumber = runNumberOf(plan, dueAtMs);
  const choice = { checkId, runNumber, locations: places, runParallel };
  if (!chooseLocations(choice).includes(place)) return null;
  const lastDueMs = runParallel ? last?.locations[place]?.atMs : last?.lastDueAtMs;
  return lastDueMs !== undefined && lastDueMs >= dueAtMs ? null : dueAtMs;
}
