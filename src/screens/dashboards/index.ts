/**
 * Live overviews of checks. A *dashboard* is a set of settings. Its *view* is its current content,
 * which is built once for all *viewers*. An event stream notifies the viewers of changes. States
 * and figures come from `states`; `sites` stores addresses, keys and images. Tables: dashboards.
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
