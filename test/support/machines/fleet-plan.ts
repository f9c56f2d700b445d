import type { ProbePlan } from "./members.ts";
import type { Places } from "./workload.ts";

const probes: readonly ProbePlan[] = [
  { name: "probe-1", transport: "nats", location: "attic" },
  { name: "probe-2", transport: "nats", location: "attic" },
  { name: "probe-3", transport: "websocket", location: "cellar" },
];

/**
 * Lists of locations that checks use: the servers' built-in probe, and each location with probes.
 */
const places: readonly Places[] = [
  { locations: ["eu-central-1"] },
  { privateLocations: ["attic"] },
  { privateLocations: ["cellar"] },
];

/** Fleet that produces the table of faults in `docs/many-machines.md`. */
export const fleetPlan = { servers: 2, probes, places };

/** Smallest fleet in which one fault can lose data: two servers, each with its built-in probe. */
export const smallFleetPlan = { servers: 2, probes: [], places: places.slice(0, 1) };
