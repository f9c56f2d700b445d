/**
 * Exports the checks of an account to Prometheus: their status, counts of results, and the figures
 * of the latest run. Each value is a *series* with *labels*. The check types define the names of
 * figures. Tables: none.
 */
export { addPrometheusRoutes, createScrapeTools, type PrometheusContext } from "./routes.ts";
