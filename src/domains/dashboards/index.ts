/**
 * Walls of checks. A *dashboard* is what its owner chose to show; a *board* is what it shows at a
 * moment, made once for everybody; a *wall* is somebody who looks and hears of changes by a stream.
 * States and figures come from `runs`; addresses, keys and pictures are kept by `sites`.
 * Tables: dashboards, dashboard_names.
 */
export type { DashboardsContext } from "./context.ts";
export { createDashboardHostLoader } from "./hosts.ts";
export { findDashboardByName } from "./public-store.ts";
export { addDashboardRoutes } from "./routes.ts";
