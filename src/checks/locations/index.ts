/**
 * Locations and probes. A *location* is a place that checks run from. A *probe* is a process that
 * runs checks at a location and sends a heartbeat every ten seconds. A firewall must allow the
 * source addresses that the probes report. A *private location* belongs to one account. A *probe
 * key* admits probes to exactly one location. Tables: probes, private_locations, probe_keys,
 * private_location_queues.
 */

export {
  builtInProbeId,
  dismissProbe,
  findSourceAddresses,
  listLiveProbes,
  registerProbe,
  startBuiltInProbe,
} from "./actions.ts";
export { type ChangedRoute, listNatsLogins, type NatsKey, NatsKeys } from "./nats-keys.ts";
export {
  changeLocation,
  createLocation,
  isReservedSlug,
  listAccountPlaces,
  listOwnLocations,
  mapPlaceNames,
  type PlaceUses,
  type PrivateLocationsContext,
  removeLocation,
} from "./private-locations/actions.ts";
export {
  holdSlugs,
  listPrivateRoutes,
  listWatchedLocations,
  lockWatchedLocation,
  mapSilentLocations,
  noteServed,
  type PrivateRoute,
  saveReportedOutage,
  type WatchedLocation,
} from "./private-locations/private-location-store.ts";
export { LocationBody } from "./private-locations/schema.ts";
export { isAlive, isPrivate, type Probe, publicLocations } from "./probe.ts";
export {
  ProbeDirectory,
  watchProbeDirectory,
} from "./probe-directory.ts";
export {
  type AdmittedKey,
  createProbeKey,
  listExistingKeys,
  mapProbeKeys,
  noteKeyUse,
} from "./probe-key-store.ts";
export { judgeProbes, quarantineByRule } from "./quarantine.ts";
export { deleteOldQueueSamples } from "./queues.ts";
export { addLocationRoutes } from "./routes.ts";
export { insertQueueSamples, saveAgreement } from "./store.ts";
