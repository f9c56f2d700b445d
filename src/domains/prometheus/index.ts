/**
 * Exports the checks of an account to Prometheus: status, results, and the figures of the latest
 * run, each *series* with its *labels*. Names of figures come from the kinds. Tables: none.
 */
export { addPrometheusRoutes, createScrapeTools, type PrometheusContext } from "./routes.ts";
