import { useQuery } from "@tanstack/react-query";
import { findRunLocation, replaceCodes } from "./listed-location.ts";
import { locationsQuery, privateNamesQuery } from "./queries.ts";

/**
 * UI text of this file. It is not in `words.ts`, because every screen shows location names, but few
 * screens need the other text of this module.
 */
const words = {
  ranInstead: (name: string) => `This server, because ${name} has no probe`,
};

/**
 * Returns a function that formats a location code as its name, such as "Frankfurt" for
 * `eu-central-1`. Until the names have loaded, the function returns the code.
 */
export function useLocationName(): (region: string) => string {
  const { data } = useQuery(locationsQuery);
  const { data: own } = useQuery(privateNamesQuery);
  return (region) =>
    own?.find(({ slugName }) => slugName === region)?.name ??
    data?.find((one) => one.region === region)?.name ??
    region;
}

/**
 * Returns a function that replaces the location codes in a sentence of the API with location names.
 */
export function useNamedLocations(): (sentence: string) => string {
  const { data = [] } = useQuery(locationsQuery);
  const { data: own = [] } = useQuery(privateNamesQuery);
  return (sentence) =>
    replaceCodes(sentence, [
      ...data.map(({ region, name }) => [region, name] as const),
      ...own.map(({ slugName, name }) => [slugName, name] as const),
    ]);
}

export function LocationName({ region }: { readonly region: string }) {
  return <span title={region}>{useLocationName()(region)}</span>;
}

interface RunLocationProps {
  readonly run: { readonly probeId: string; readonly runLocation: string };
}

/**
 * Shows the location of a run, or that the server executed the run because the location has no
 * probe.
 */
export function RunLocation({ run }: RunLocationProps) {
  const { data: places = [] } = useQuery(locationsQuery);
  const { data: own = [] } = useQuery(privateNamesQuery);
  const nameOf = useLocationName();
  const { isServer, isStandIn } = findRunLocation(run, { places, own });
  const name = nameOf(run.runLocation);
  return (
    <span title={run.runLocation}>{isServer && isStandIn ? words.ranInstead(name) : name}</span>
  );
}
