/** Incidents of the status pages: list, details, composer, templates and statistics. */
export { audienceQuery, serviceStatusesQuery } from "./queries.ts";
export { words as incidentWords } from "./words.ts";
