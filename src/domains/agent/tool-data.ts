/** What each tool gives back as `data`; the schemas are in data/. All moments are ISO 8601 in UTC. */
export type * from "./data/check-data.ts";
export type * from "./data/directory-data.ts";
export type * from "./data/event-data.ts";
export type * from "./data/figure-data.ts";
export type * from "./data/outcome-data.ts";
