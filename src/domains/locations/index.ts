/**
 * Places that checks run from. A *location* is a place, a *probe* the process there; a probe says
 * hello every ten seconds, and the addresses it names are those that a firewall must let in.
 * Tables: probes.
 */
export { listLiveProbes, listPlaces } from "./actions.ts";
export { builtInProbeId, startBuiltInProbe } from "./built-in-probe.ts";
export { publicLocations } from "./location.ts";
export { isAlive } from "./probe.ts";
export { addLocationRoutes } from "./routes.ts";
