import { builtInRoute } from "../../contract/subjects.ts";
import { isPrivate, type Probe } from "../locations/index.ts";
import type { Watched } from "../schedule/index.ts";

type ServingProbe = Pick<Probe, "route" | "location" | "isSuspect">;

/**
 * Whether no probe that serves a check can reach its own anchors. A location is served by its own
 * probes; a public location without probes is served by the built-in ones. Other probes are
 * ignored.
 */
export function isEveryPlaceSuspect(
  { accountId, places }: Pick<Watched, "accountId" | "places">,
  probes: readonly ServingProbe[],
  accountOfRoute: ReadonlyMap<string, string>,
): boolean {
  const builtIn = probes.filter(({ route }) => route === builtInRoute);
  return places.every((place) => {
    const own = probes.filter(
      (probe) =>
        probe.location === place &&
        (!isPrivate(probe) || accountOfRoute.get(probe.route) === accountId),
    );
    const serving = own.length > 0 ? own : builtIn;
    return serving.length > 0 && serving.every(({ isSuspect }) => isSuspect);
  });
}
