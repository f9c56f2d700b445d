import type { Schemas } from "../api/client.ts";

type Operation = Schemas["RoleOperation"];

export interface Area {
  readonly tag: string;
  /** Operations that each role adds to those of the previous role. */
  readonly gained: ReadonlyMap<string, readonly string[]>;
}

/** Paths with an account id duplicate the short paths. */
const isTwin = ({ path }: Operation) => path.includes("{accountId}");

/** Groups the operations by the tags of the API reference. */
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
