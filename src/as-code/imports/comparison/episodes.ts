import type { BackTestAlert } from "../../../response/alerting/index.ts";

/** Pure functions that match the outages recorded by two monitors. */

export interface Interval {
  readonly fromMs: number;
  /** End of the interval; `null` if the interval has not ended. */
  readonly toMs: number | null;
}

type Seen = "both" | "here" | "there";

/** Overlapping outages of both monitors, or outages that only one monitor recorded. */
export interface Episode extends Interval {
  readonly seen: Seen;
  readonly here: readonly Interval[];
  readonly there: readonly Interval[];
}

interface Marked {
  readonly side: "here" | "there";
  readonly interval: Interval;
  readonly endMs: number;
}

const endOf = ({ toMs }: Interval) => toMs ?? Number.POSITIVE_INFINITY;

/** Returns the root of an item in the union-find array, and compresses the path to the root. */
function findGroup(groups: number[], item: number): number {
  let group = item;
  while (groups[group] !== group) {
    groups[group] = groups[groups[group] as number] as number;
    group = groups[group] as number;
  }
  return group;
}

function toEpisode(members: readonly Marked[]): Episode {
  const listOf = (side: Marked["side"]) =>
    members.filter((one) => one.side === side).map(({ interval }) => interval);
  const here = listOf("here");
  const there = listOf("there");
  const lastMs = Math.max(...members.map(({ endMs }) => endMs));
  return {
    fromMs: Math.min(...members.map(({ interval }) => interval.fromMs)),
    toMs: Number.isFinite(lastMs) ? lastMs : null,
    seen: there.length === 0 ? "here" : here.length === 0 ? "there" : "both",
    here,
    there,
  };
}

/**
 * Groups overlapping intervals of two monitors into episodes, sorted by start. Intervals that are
 * at most `toleranceMs` apart also count as overlapping, because the two monitors do not run at the
 * same instants.
 */
export function matchEpisodes(
  here: readonly Interval[],
  there: readonly Interval[],
  toleranceMs: number,
): Episode[] {
  const mark = (side: Marked["side"]) => (interval: Interval) => ({
    ...{ side, interval, endMs: endOf(interval) },
  });
  const all: Marked[] = [...here.map(mark("here")), ...there.map(mark("there"))].sort(
    (a, b) => a.interval.fromMs - b.interval.fromMs,
  );
  const groups = all.map((_, index) => index);
  let open: number[] = [];
  for (const [index, one] of all.entries()) {
    const startMs = one.interval.fromMs;
    open = open.filter((other) => (all[other] as Marked).endMs + toleranceMs >= startMs);
    for (const other of open) {
      if ((all[other] as Marked).side === one.side) continue;
      groups[findGroup(groups, index)] = findGroup(groups, other);
    }
    open.push(index);
  }
  const members = Map.groupBy(all.keys(), (index) => findGroup(groups, index));
  return [...members.values()]
    .map((indexes) => toEpisode(indexes.map((index) => all[index] as Marked)))
    .sort((a, b) => a.fromMs - b.fromMs);
}

const recoveries: readonly string[] = ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"];

/** Converts alerts, sorted oldest first, to the problems that caused them. */
export function listProblems(alerts: readonly BackTestAlert[]): Interval[] {
  const problems: Interval[] = [];
  let startMs: number | null = null;
  for (const { kind, atMs, minutesToDetect } of alerts) {
    if (recoveries.includes(kind)) {
      if (startMs !== null) problems.push({ fromMs: startMs, toMs: atMs });
      startMs = null;
    } else startMs ??= atMs - (minutesToDetect ?? 0) * 60_000;
  }
  if (startMs !== null) problems.push({ fromMs: startMs, toMs: null });
  return problems;
}

/** Returns the intervals that overlap a time range. */
export function within<One extends Interval>(
  intervals: readonly One[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): One[] {
  return intervals.filter((one) => one.fromMs < toMs && endOf(one) > fromMs);
}
