/**
 * The page that people look at when something seems wrong. It owns nothing: what is said comes from
 * `status-pages`, `incidents` and `maintenance`, is put together as a *view*, rendered as *documents*
 * (pages, feeds, a summary, a calendar, a badge), remembered while nothing changes, and written as
 * *snapshots* that any web server can show.
 */
export type { PublicPagesContext } from "./context.ts";
export { startPublicPageLoops } from "./loops.ts";
export { addPublicPageRoutes } from "./routes.ts";
