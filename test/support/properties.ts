/**
 * The one place that reads how many random inputs a property test tries. The runner loads it before
 * every file that uses fast-check. A property whose single run is dear takes a fraction:
 * `{ numRuns: propertyRuns / 10 }`; one that must reach every case takes a minimum:
 * `{ numRuns: Math.max(250, propertyRuns) }`.
 */
import fc from "fast-check";

export const propertyRuns = Number(process.env.PROPERTY_RUNS ?? "100");

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: propertyRuns });
