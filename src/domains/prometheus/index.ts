/**
 * The checks of an account as Prometheus reads them: their status, how their runs ended, and the
 * figures of the newest run, each *series* with its *labels*. Names of figures come from the kinds.
 * Tables: none.
 */
export { createScrapeTools, type PrometheusContext } from "./context.ts";
export { addPrometheusRoutes } from "./routes.ts";
