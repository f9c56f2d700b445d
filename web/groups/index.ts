/**
 * Groups of checks: their list, their members and the editor of their common settings.
 */
export { groupQuery, groupsQuery } from "./queries.ts";
