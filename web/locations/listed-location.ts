/** Decides which public locations have a live probe, and where a run was executed. */
export interface ListedLocation {
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

/** Whether the server's built-in probe is the only live probe of this location. */
export function isThisServer({ probes }: Pick<ListedLocation, "probes">): boolean {
  const alive = probes.filter(({ status }) => status === "alive");
  return alive.length > 0 && alive.every(({ isBuiltIn }) => isBuiltIn);
}

interface SortedLocations {
  /** Locations that are selected or have their own live probe. The server comes first. */
  readonly served: readonly ListedLocation[];
  readonly others: readonly ListedLocation[];
}

export function sortLocations(
  places: readonly ListedLocation[],
  chosen: readonly string[],
): SortedLocations {
  const isListed = ({ region, servedBy }: ListedLocation) =>
    servedBy === "own-probe" || chosen.includes(region);
  const served = places.filter(isListed);
  return {
    served: [...served.filter(isThisServer), ...served.filter((place) => !isThisServer(place))],
    others: places.filter((place) => !isListed(place) && place.servedBy !== "nobody"),
  };
}

export interface RunLocation {
  /**
   * Name of the location; `null` if the probe belongs to no listed location, for example because it
   * was deleted.
   */
  readonly name: string | null;
  readonly isServer: boolean;
  /** Whether the probe executed the run in place of a location that has no probe. */
  readonly isStandIn: boolean;
}

interface OwnLocation {
  readonly slugName: string;
  readonly name: string;
  readonly probes: readonly Pick<ListedProbe, "id">[];
}

/** Returns the location of the run's probe, which may differ from the requested location. */
export function findRunLocation(
  run: { readonly probeId: string; readonly runLocation: string },
  known: { readonly places: readonly ListedLocation[]; readonly own: readonly OwnLocation[] },
): RunLocation {
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

/** Replaces the location codes in a sentence with location names. */
export function replaceCodes(
  sentence: string,
  names: readonly (readonly [code: string, name: string])[],
): string {
  const byCode = new Map(names.filter(([code]) => sentence.includes(code)));
  if (byCode.size === 0) return sentence;
  // Only whole words match, so that `eu-west-1` does not match inside `eu-west-12` or a host name.
  return sentence.replaceAll(
    /(?<![\w.-])[A-Za-z0-9-]+(?![\w-]|\.\w)/g,
    (word) => byCode.get(word) ?? word,
  );
}
