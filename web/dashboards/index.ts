/** Dashboards: the list of dashboards, and the dashboard editor with a preview. */
export { dashboardsQuery } from "./queries.ts";
