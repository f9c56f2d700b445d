import { useQuery } from "@tanstack/react-query";
import { findRunLocation } from "./listed-location.ts";
import { locationsQuery, privateNamesQuery, useLocationName } from "./location-name.tsx";
import { words } from "./words.ts";

interface RunLocationProps {
  readonly run: { readonly probeId: string; readonly runLocation: string };
}

/** Shows the location of a run, and whether the server ran it in place of a missing probe. */
export function RunLocation({ run }: RunLocationProps) {
  const { data: places = [] } = useQuery(locationsQuery);
  const { data: own = [] } = useQuery(privateNamesQuery);
  const nameOf = useLocationName();
  const { isServer, isStandIn } = findRunLocation(run, { places, own });
  const name = nameOf(run.runLocation);
  return (
    <span title={run.runLocation}>
      {isServer ? (isStandIn ? words.ranInstead(name) : words.ranHere(name)) : name}
    </span>
  );
}
