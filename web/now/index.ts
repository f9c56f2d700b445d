/**
 * The first screen: current problems, recent activity and slow trends.
 */
export { overviewQuery } from "./queries.ts";
