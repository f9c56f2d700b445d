/**
 * Incidents of the status pages: the list, the page of an incident, the composer, templates and
 * statistics.
 */
export { audienceQuery, serviceStatusesQuery } from "./queries.ts";
export { words as incidentWords } from "./words.ts";
