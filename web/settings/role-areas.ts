import type { Schemas } from "../api/client.ts";

type Operation = Schemas["RoleOperation"];

export interface Area {
  readonly tag: string;
  /** What each role may do here that the role before it may not. */
  readonly gained: ReadonlyMap<string, readonly string[]>;
}

/** Twins that name the account in their path say the same again. */
const isTwin = ({ path }: Operation) => path.includes("{accountId}");

/** By the headings of the reference, in its order. */
export function groupByArea(
  operations: readonly Operation[],
  roles: readonly string[],
): readonly Area[] {
  const kept = operations.filter((operation) => !isTwin(operation));
  const tags = [...new Set(kept.map(({ tag }) => tag))];
  return tags.map((tag) => ({
    tag,
    gained: new Map(
      roles.map((role) => {
        const own = kept.filter((one) => one.tag === tag && one.leastRole === role);
        return [role, [...new Set(own.map(({ summary }) => summary))]];
      }),
    ),
  }));
}
