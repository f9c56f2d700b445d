/**
 * Places that checks run from. A *location* is a place, a *probe* the process there; a probe says
 * hello every ten seconds, and the addresses it names are those that a firewall must let in. A
 * *private location* is an account's own; a *probe key* lets probes in, to one place only.
 * Tables: probes, private_locations, probe_keys.
 */
export { listAccountPlaces } from "./account-places.ts";
export {
  dismissProbe,
  greetProbe,
  type LocationsContext,
  listLiveProbes,
  type ProbeHello,
} from "./actions.ts";
export { builtInProbeId, startBuiltInProbe } from "./built-in-probe.ts";
export { publicLocations } from "./location.ts";
export type { ChecksOfPlaces, PlaceUses } from "./private-locations/context.ts";
export type { PrivateLocation } from "./private-locations/private-location.ts";
export { holdSlugs, listPrivateRoutes, type PrivateRoute } from "./private-locations/store.ts";
export { builtInRoute, isAlive, type Probe, type Transport } from "./probe.ts";
export {
  type DirectoryOptions,
  type FoundRoute,
  type PlaceOfOrder,
  ProbeDirectory,
  watchProbeDirectory,
} from "./probe-directory.ts";
export { type AdmittedKey, createKeyText, type KeyPlace, type ProbeKey } from "./probe-key.ts";
export {
  deleteProbeKey,
  findProbeKey,
  insertProbeKey,
  listRegionKeys,
  noteKeyUse,
} from "./probe-key-store.ts";
export { addLocationRoutes } from "./routes.ts";
