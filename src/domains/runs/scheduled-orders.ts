import type { Order } from "../../contract/order.ts";
import { builtInRoute, type ProbeDirectory } from "../locations/index.ts";
import { createOrder, isPrivatePlace } from "./orders.ts";
import { chooseLocations, runNumberOf } from "./schedule.ts";
import type { Watched } from "./watch-list.ts";

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
