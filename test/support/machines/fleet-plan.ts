import type { Places } from "./workload.ts";

/** Two servers, as the table of faults in docs/many-machines.md speaks of. */
export const fleetPlan = {
  servers: 2,
  places: [{ locations: ["eu-central-1"] }] as readonly Places[],
};
