/**
 * Data of the start screen: current problems with their notifications, recent activity, and
 * negative trends. The module only reads, and combines data of other modules so that a screen needs
 * one request. *Activity* is a list of state changes, maintenance and edits. A *trend* is a figure
 * that got worse. Tables: none.
 */
export { addOverviewRoutes } from "./routes.ts";
export { describeSharedHops } from "./shared-hops.ts";
