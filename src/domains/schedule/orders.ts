import type { Order } from "../../contract/order.ts";
import type { NoData, Result } from "../../contract/result.ts";
import { builtInRoute } from "../../contract/subjects.ts";
import type { ProbeDirectory } from "../locations/index.ts";
import { deriveRunId } from "../results/index.ts";
import { chooseLocations, runNumberOf } from "./schedule.ts";
import type { Watched } from "./watch-list.ts";

export interface OrderTime {
  readonly location: string;
  readonly dueAtMs: number;
  readonly attempt: number;
  readonly startAtMs: number;
}

export function createOrder(watched: Watched, when: OrderTime): Order {
  const { checkId, accountId, kind, settings } = watched;
  const { location, dueAtMs, attempt, startAtMs } = when;
  return {
    runId: deriveRunId({ checkId, dueAtMs, location, attempt }),
    checkId,
    accountId,
    kind: kind.type,
    location,
    attempt,
    dueAtMs,
    startAtMs,
    deadlineAtMs: startAtMs + kind.deadlineMs(settings),
    request: kind.toRequest(settings),
    ...(watched.needsValues && { isIncomplete: true }),
    ...(isPrivatePlace(watched, location) && { isPrivate: true }),
  };
}

export function isPrivatePlace({ settings }: Watched, location: string): boolean {
  const { locations, privateLocations } = settings;
  return privateLocations.includes(location) && !locations?.includes(location);
}

/** Creates the result of a run that no probe executed or answered. */
export function createNoDataResult(order: Order, outcome: NoData, nowMs: number): Result {
  const { runId, checkId, kind, location, attempt, dueAtMs, request } = order;
  return {
    runId,
    checkId,
    kind,
    location,
    attempt,
    dueAtMs,
    request,
    startedAtMs: nowMs,
    stoppedAtMs: nowMs,
    probeId: "none",
    outcome,
  };
}

/** Returns the locations of the run that is due at the given time. */
export function chooseRunLocations(watched: Watched, dueAtMs: number): readonly string[] {
  const { checkId, plan, places, settings } = watched;
  const runNumber = runNumberOf(plan, dueAtMs);
  const { runParallel } = settings;
  return chooseLocations({ checkId, runNumber, locations: places, runParallel });
}

/** Creates the orders of the first attempt of a run. */
export function createRunOrders(
  watched: Watched,
  dueAtMs: number,
  locations: readonly string[],
): Order[] {
  return locations.map((location) =>
    createOrder(watched, { location, dueAtMs, attempt: 1, startAtMs: dueAtMs }),
  );
}

function placeOf(watched: Watched, location: string) {
  const isPrivate = isPrivatePlace(watched, location);
  return { accountId: watched.accountId, location, isPrivate };
}

/** Whether the probe in this process executes runs of the check at the location. */
export function isRunHere(directory: ProbeDirectory, watched: Watched, location: string): boolean {
  if (!directory.isBuiltInHere) return false;
  return directory.routeOf(placeOf(watched, location)).route === builtInRoute;
}

/** Whether results of the check may come from outside this process. */
export function isRemoteRun(directory: ProbeDirectory, watched: Watched): boolean {
  return watched.places.some((location) => directory.isRemote(placeOf(watched, location)));
}
