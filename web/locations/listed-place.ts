/** Which public locations really have a probe. Pure. */

export interface ListedPlace {
  readonly region: string;
  readonly name: string;
  readonly servedBy: "own-probe" | "built-in-probe" | "nobody";
  readonly probes: readonly ListedProbe[];
}

interface ListedProbe {
  readonly id: string;
  readonly isBuiltIn: boolean;
  readonly status: "alive" | "silent";
}

/** Whether the probe of this location is the server itself, and no other. */
export function isThisServer({ probes }: Pick<ListedPlace, "probes">): boolean {
  const alive = probes.filter(({ status }) => status === "alive");
  return alive.length > 0 && alive.every(({ isBuiltIn }) => isBuiltIn);
}

interface SortedPlaces {
  /** Those with a live probe of their own, the server first, and those that are chosen already. */
  readonly served: readonly ListedPlace[];
  readonly others: readonly ListedPlace[];
}

export function sortPlaces(
  places: readonly ListedPlace[],
  chosen: readonly string[],
): SortedPlaces {
  const isListed = ({ region, servedBy }: ListedPlace) =>
    servedBy === "own-probe" || chosen.includes(region);
  const served = places.filter(isListed);
  return {
    served: [...served.filter(isThisServer), ...served.filter((place) => !isThisServer(place))],
    others: places.filter((place) => !isListed(place) && place.servedBy !== "nobody"),
  };
}

export interface RunPlace {
  /** Null if no listed probe has this id, for example because it is gone. */
  readonly name: string | null;
  readonly isServer: boolean;
  /** Whether the probe stands in for a location that has none of its own. */
  readonly isStandIn: boolean;
}

interface OwnPlace {
  readonly slugName: string;
  readonly name: string;
  readonly probes: readonly Pick<ListedProbe, "id">[];
}

/** Where a run really took place: the location of its probe, not the one that was asked for. */
export function findRunPlace(
  run: { readonly probeId: string; readonly runLocation: string },
  known: { readonly places: readonly ListedPlace[]; readonly own: readonly OwnPlace[] },
): RunPlace {
  const hasProbe = ({ probes }: { readonly probes: readonly Pick<ListedProbe, "id">[] }) =>
    probes.some(({ id }) => id === run.probeId);
  const own = known.own.find(hasProbe);
  if (own !== undefined) return { name: own.name, isServer: false, isStandIn: false };
  const place = known.places.find(hasProbe);
  const probe = place?.probes.find(({ id }) => id === run.probeId);
  return {
    name: place?.name ?? null,
    isServer: probe?.isBuiltIn === true,
    isStandIn: place !== undefined && place.region !== run.runLocation,
  };
}
