import { type LocationsContext, listPlaces } from "./actions.ts";
import { listOwnLocations } from "./private-locations/actions.ts";
import { decideLocationStatus } from "./private-locations/private-location.ts";
import type { Place } from "./probe.ts";

/** Returns every location that checks of an account can use: the public ones, then its own. */
export async function listAccountPlaces(
  context: LocationsContext,
  accountId: string,
): Promise<Place[]> {
  const now = context.clock.now();
  const own = await listOwnLocations(context, { accountId });
  return [
    ...(await listPlaces(context)),
    ...own.map((location): Place => {
      const { slugName, name, probes } = location;
      const isServed = decideLocationStatus(location, now) === "served";
      return { region: slugName, name, probes, servedBy: isServed ? "own-probe" : "nobody" };
    }),
  ];
}
