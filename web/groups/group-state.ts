/** Summarises the checks of a group. */

/** States of a group, ordered from worst to best. */
const order = ["failing", "degraded", "unknown", "passing", "inactive"] as const;
type GroupState = (typeof order)[number];

export interface StateCount {
  readonly state: GroupState;
  readonly count: number;
}

export function listStateCounts(
  counts: readonly { readonly value: string; readonly count: number }[],
): StateCount[] {
  return order.flatMap((state) => {
    const count = counts.find(({ value }) => value === state)?.count ?? 0;
    return count === 0 ? [] : [{ state, count }];
  });
}

/** Returns the worst state of the group's checks, or `null` if the group has no checks. */
export function findGroupState(counts: readonly StateCount[]): GroupState | null {
  return counts[0]?.state ?? null;
}

interface Measured {
  readonly name: string;
  readonly availability: number | null;
  readonly hasEnoughData: boolean;
}

export interface GroupAvailability {
  /** Mean availability of the checks with enough data, in percent. */
  readonly mean: number;
  readonly worst: { readonly name: string; readonly availability: number };
  readonly count: number;
}

/** Returns the 24-hour availability of the checks, or `null` if none has enough data. */
export function findAvailability(checks: readonly Measured[]): GroupAvailability | null {
  const measured = checks.flatMap(({ name, availability, hasEnoughData }) =>
    availability !== null && hasEnoughData ? [{ name, availability }] : [],
  );
  const [worst] = measured.toSorted((one, other) => one.availability - other.availability);
  if (worst === undefined) return null;
  const sum = measured.reduce((total, { availability }) => total + availability, 0);
  return { mean: sum / measured.length, worst, count: measured.length };
}
