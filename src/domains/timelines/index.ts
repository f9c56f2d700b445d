/**
 * What happened around a check in some stretch of time, for a chart: its states, the *marks* of
 * incidents, maintenance and alerts, and who changed it. All of it comes from the other rooms.
 * Tables: none.
 */
export { addTimelineRoutes } from "./routes.ts";
