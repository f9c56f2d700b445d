/**
 * What happened around a check in some stretch of time, for a chart: its states, the *marks* of
 * incidents, maintenance and alerts, and who changed it. All of it comes from the other rooms.
 * An *annotation* is a note or a deployment that people or pipelines add to charts: it applies to
 * one check, to the checks with some tags, or to all checks of the account.
 * Tables: annotations.
 */
export { addAnnotationRoutes } from "./annotations/routes.ts";
export { addTimelineRoutes } from "./routes.ts";
