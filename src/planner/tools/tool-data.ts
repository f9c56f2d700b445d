/**
 * Data that the planner reads from each tool. `agent/models/planner-tools.ts` compares the types.
 */
export type * from "./check-data.ts";
export type * from "./directory-data.ts";
export type * from "./event-data.ts";
export type * from "./figure-data.ts";
export type * from "./people-data.ts";
export type * from "./write-data.ts";
