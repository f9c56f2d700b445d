/**
 * What changed, told as it happens. A *change* is a type and the ids of what it concerns, never the
 * data; it is announced by a notification of the database, so that every server hears of it. A
 * *stream* belongs to one caller, who hears of their account only and only what they may read.
 * Tables: none.
 */
export { readAnnouncement } from "./announcement.ts";
export type { EventsContext } from "./context.ts";
export { addEventRoutes } from "./routes.ts";
