/**
 * A stream of changes. A *change* is a type and the ids of the changed objects, without their data.
 * Database notifications announce changes, so that every server receives them. A *stream* belongs
 * to one caller, who receives only changes that the caller may read in the account. Tables: none.
 */
export { readAnnouncement } from "./change-feed.ts";
export type { EventsContext } from "./routes.ts";
export { addEventRoutes } from "./routes.ts";
