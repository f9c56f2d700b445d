/**
 * Collects the events that the chart of a check shows for a time range, such as incidents,
 * maintenance, alerts and changes of the settings. Other modules store all of these events except
 * annotations.
 *
 * An *annotation* is a note or a deployment that users or pipelines add to charts. An annotation
 * applies to one check, to the checks with certain tags, or to all checks of the account. Tables:
 * annotations.
 */
export { addAnnotationRoutes } from "./annotations.ts";
export { addTimelineRoutes } from "./routes.ts";
