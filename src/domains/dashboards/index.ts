/**
 * Live overviews of checks. A *dashboard* is a set of settings; its *view* is its current content,
 * built once for all *viewers*, who are notified of changes by an event stream. States and figures
 * come from `states`; addresses, keys and images are stored by `sites`.
 * Tables: dashboards.
 */
export {
  changeDashboard,
  createDashboard,
  type DashboardsContext,
  getDashboard,
  removeDashboard,
} from "./actions.ts";
export { formatDashboardUrl } from "./dashboard.ts";
export { addDashboardRoutes } from "./routes.ts";
export { DashboardBody, fromWireDashboard } from "./schema.ts";
export { listDashboards } from "./store.ts";
