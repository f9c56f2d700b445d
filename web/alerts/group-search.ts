/** How what is wrong is grouped; in the address, so that a link shows the same. */
export const groupings = ["none", "cause", "group", "tag", "location"] as const;
export type By = (typeof groupings)[number];

/** From so many on a list is too long to be read, and its shape is shown. */
const stormFrom = 10;

export function parseBy(by: unknown): { by?: By } {
  return typeof by === "string" && (groupings as readonly string[]).includes(by)
    ? { by: by as By }
    : {};
}

/** What is chosen, or by cause in a storm. */
export function decideBy(chosen: By | undefined, count: number): By {
  return chosen ?? (count > stormFrom ? "cause" : "none");
}
