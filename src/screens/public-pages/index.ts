/**
 * Renders status pages for visitors. Data from `status-pages`, `incidents` and `maintenance`
 * becomes a *view*, which is rendered as *documents* (pages, feeds, a summary, a calendar, a badge,
 * a banner), cached until something changes, and written as *snapshots* for any web server.
 * Tables: none.
 */
export type { PublicPagesContext } from "./context.ts";
export { addPublicPageRoutes } from "./routes.ts";
export { SnapshotFolder } from "./snapshot-folder.ts";
export { startPublicPageLoops } from "./snapshots.ts";
