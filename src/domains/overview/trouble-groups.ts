/** Groups current problems by cause, group, tag or location. Pure. */

export const groupings = ["cause", "group", "tag", "location"] as const;
export type Grouping = (typeof groupings)[number];

export interface GroupedCheck {
  readonly checkId: string;
  readonly name: string;
  readonly status: "failing" | "degraded";
  readonly since: Date;
  /** Whether an alert was or is being sent. */
  readonly isAlerted: boolean;
  readonly isAcknowledged: boolean;
  readonly cause: { readonly key: string; readonly explanation: string | null };
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly places: readonly string[];
}

export interface TroubleGroup {
  readonly key: string;
  /** `null` for the checks that have none, such as checks without a tag. */
  readonly label: string | null;
  readonly checks: readonly GroupedCheck[];
}

const keysOf: Readonly<Record<Grouping, (check: GroupedCheck) => readonly string[]>> = {
  cause: ({ cause }) => [cause.key],
  group: ({ groupName }) => (groupName === null ? [] : [groupName]),
  tag: ({ tags }) => [...new Set(tags)],
  location: ({ places }) => places,
};

/** Formats "connection-failed ECONNREFUSED" as "Connection failed (ECONNREFUSED)". */
function writeCause(key: string): string {
  const [name = "", ...code] = key.split(" ");
  const words = name.replaceAll("-", " ");
  const suffix = code.length === 0 ? "" : ` (${code.join(" ")})`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${suffix}`;
}

function writeLabel(by: Grouping, key: string, checks: readonly GroupedCheck[]): string {
  if (by !== "cause") return key;
  const [first = null, ...others] = new Set(checks.map(({ cause }) => cause.explanation));
  return first !== null && others.length === 0 ? first : writeCause(key);
}

/** Sorts the largest group first. By tag and location, a check is in each of its groups. */
export function groupTroubles(checks: readonly GroupedCheck[], by: Grouping): TroubleGroup[] {
  const groups = new Map<string, GroupedCheck[]>();
  const rest: GroupedCheck[] = [];
  for (const check of checks) {
    const keys = keysOf[by](check);
    if (keys.length === 0) rest.push(check);
    for (const key of keys) groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  const named = [...groups].map(([key, members]) => ({
    key,
    label: writeLabel(by, key, members),
    checks: members,
  }));
  const sorted = named.toSorted(
    (one, other) => other.checks.length - one.checks.length || one.label.localeCompare(other.label),
  );
  return rest.length === 0 ? sorted : [...sorted, { key: "", label: null, checks: rest }];
}
