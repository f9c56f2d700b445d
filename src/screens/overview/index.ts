/**
 * Data of the start screen: current problems with their alerts, recent activity, and negative
 * trends. The module stores nothing. It combines data of other modules, so that each part of the
 * screen needs one request. *Activity* is a list of state changes, maintenance and edits. A *trend*
 * is a figure that got worse. Tables: none.
 */
export { addOverviewRoutes } from "./routes.ts";
export { describeSharedHops } from "./shared-hops.ts";
