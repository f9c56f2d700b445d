/**
 * Events around a check in a time range, for its chart: its states, the *marks* of incidents,
 * maintenance and alerts, and changes to the check. They come from other modules.
 *
 * An *annotation* is a note or a deployment that people or pipelines add to charts. It applies to
 * one check, to the checks with some tags, or to all checks of the account. Tables: annotations.
 */
export { addAnnotationRoutes } from "./annotations.ts";
export { addTimelineRoutes } from "./routes.ts";
