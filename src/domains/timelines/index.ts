/**
 * Events that the chart of a check shows for a time range: its states, incidents, maintenance,
 * alerts, and changes of its settings, which other modules store. An *annotation* is a note or a
 * deployment that users or pipelines add to charts. It applies to one check, to the checks with
 * certain tags, or to all checks of the account. Tables: annotations.
 */
export { addAnnotationRoutes } from "./annotations.ts";
export { addTimelineRoutes } from "./routes.ts";
