/**
 * Locations that run checks, public and private, with their probes and keys. Other modules use this
 * module to show locations by name.
 */
export {
  findRunLocation,
  isThisServer,
  type ListedLocation,
  sortLocations,
} from "./listed-location.ts";
export {
  LocationName,
  RunLocation,
  useLocationName,
  useNamedLocations,
} from "./location-name.tsx";
export { locationsQuery, privateNamesQuery } from "./queries.ts";
