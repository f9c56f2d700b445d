/** Grouping of the open alerts, stored in the address. */
export const groupings = ["none", "cause", "group", "tag", "location"] as const;
export type By = (typeof groupings)[number];

/** Above this number of open alerts, they are grouped by default. */
const stormFrom = 10;

export function parseBy(by: unknown): { by?: By } {
  return typeof by === "string" && (groupings as readonly string[]).includes(by)
    ? { by: by as By }
    : {};
}

/** Returns the selected grouping, or by cause if there are many alerts. */
export function decideBy(chosen: By | undefined, count: number): By {
  return chosen ?? (count > stormFrom ? "cause" : "none");
}
