/**
 * The page that people look at when something seems wrong. It owns nothing: what is said comes from
 * `status-pages`, `incidents` and `alerting`, is put together as a *view*, rendered as *documents*
 * (pages, feeds, a summary, a calendar, a badge), remembered while nothing changes, and written as
 * *snapshots* that any web server can show. It also knows which *hosts* are those of pages.
 */
export type { PublicPagesContext } from "./context.ts";
export { createPageHosts } from "./hosts.ts";
export { startPublicPageLoops } from "./loops.ts";
export type { HostLoader, PageHosts } from "./page-hosts.ts";
export { addPublicPageRoutes } from "./routes.ts";
