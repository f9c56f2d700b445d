/** Locations that run checks: public and private ones, their names, probes and keys. */
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
