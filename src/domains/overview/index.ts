/**
 * Data of the start screen: current problems and who was notified, recent activity, and negative
 * trends. Only reads: it combines data of other modules so that a screen needs one request.
 * *Activity* is one list of state changes, maintenance and edits. A *trend* is a figure that got
 * worse.
 * Tables: none.
 */
export { addOverviewRoutes } from "./routes.ts";
export { describeSharedHops } from "./shared-hops.ts";
