/**
 * Dashboards: the list, and the editor with its preview.
 */
export { dashboardsQuery } from "./queries.ts";
