/**
 * Places that checks run from. A *location* is a place, a *probe* the process there; a probe says
 * hello every ten seconds, and the addresses it names are those that a firewall must let in.
 * Tables: probes.
 */
export { type LocationsContext, listLiveProbes, listPlaces } from "./actions.ts";
export { builtInProbeId, startBuiltInProbe } from "./built-in-probe.ts";
export { type PublicLocation, publicLocations } from "./location.ts";
export { isAlive, type Place } from "./probe.ts";
export { addLocationRoutes } from "./routes.ts";
