/**
 * What people look at first: what is wrong now and who knows, what happened lately, and what is
 * getting worse. It only reads: what the other rooms know, put together so that a screen asks once.
 * *Activity* is states, maintenance and edits in one list; a *trend* is a figure that got worse.
 * Tables: none.
 */
export type { OverviewContext } from "./context.ts";
export { addOverviewRoutes } from "./routes.ts";
