/** Types of the tools' `data`; the schemas are in tool-shapes/. All times are ISO 8601 in UTC. */
export type * from "./tool-shapes/check-data.ts";
export type * from "./tool-shapes/directory-data.ts";
export type * from "./tool-shapes/event-data.ts";
export type * from "./tool-shapes/figure-data.ts";
export type * from "./tool-shapes/outcome-data.ts";
export type * from "./tool-shapes/people-data.ts";
