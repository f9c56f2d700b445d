/**
 * A stream of changes. A *change* is a type and the ids that it concerns, never the data. Database
 * notifications announce it, so that every server receives it. A *stream* belongs to one caller,
 * who receives only changes in their account that they may read. Tables: none.
 */
export { readAnnouncement } from "./change-feed.ts";
export type { EventsContext } from "./routes.ts";
export { addEventRoutes } from "./routes.ts";
