/**
 * Live overviews of checks. A *dashboard* is what its owner chose to show; its *view* is what it
 * shows now, made once for everybody; a *viewer* has it open and hears of changes by a stream.
 * States and figures come from `runs`; addresses, keys and pictures are kept by `sites`.
 * Tables: dashboards.
 */
export type { DashboardsContext } from "./context.ts";
export { formatDashboardUrl } from "./dashboard-address.ts";
export { findDashboardByName } from "./public-store.ts";
export { addDashboardRoutes } from "./routes.ts";
export { listDashboards } from "./store.ts";
