import { findNextHop, type PathReport } from "./compare-paths.ts";

/** The traced paths of one failing check. */
export interface FailingPath {
  readonly checkId: string;
  readonly report: PathReport;
}

/** A hop that several failing checks share and that no passing check uses. */
export interface SharedHop {
  readonly address: string;
  /** Name of the address from reverse DNS; `null` if it has no name. */
  readonly name: string | null;
  /**
   * Ids of the failing checks that have the hop on their failing path or last good path. A check is
   * listed for at most one hop.
   */
  readonly checkIds: readonly string[];
}

/** A check whose path ends before its target. */
interface EndedPath {
  readonly checkId: string;
  readonly target: string;
  /**
   * Reverse names of the hops before the target, by address. Contains the hops of the failing path
   * and of the last good path.
   */
  readonly hops: ReadonlyMap<string, string | null>;
  /**
   * Address of the hop at which the last good path continues after the end of the failing path;
   * `null` if there is none.
   */
  readonly next: string | null;
  /** Address of the last hop of the failing path; `null` if no hop responded. */
  readonly last: string | null;
}

/**
 * Reads a failing path that ends before the target; `null` if the path reaches the target or could
 * not be traced.
 */
function readEndedPath({ checkId, report }: FailingPath): EndedPath | null {
  const { failing, lastGood } = report;
  if (!("path" in failing) || failing.path.end === "reached") return null;
  const { path } = failing;
  const good = lastGood?.path ?? null;
  const next = good === null ? null : findNextHop(path, good);
  const hops = new Map(
    [path, good]
      .flatMap((one) => one?.hops ?? [])
      .flatMap(({ address, name }) => (address === null ? [] : [[address, name] as const])),
  );
  hops.delete(path.address);
  return {
    checkId,
    target: path.address,
    hops,
    next: next === null ? null : (good?.hops[next - 1]?.address ?? null),
    last: path.hops.at(-1)?.address ?? null,
  };
}

/**
 * Groups checks by the addresses of their hops. Omits hops whose checks all have the same target.
 */
function groupByHop(ended: readonly EndedPath[]): Map<string, EndedPath[]> {
  const byHop = new Map<string, EndedPath[]>();
  for (const one of ended) {
    for (const address of one.hops.keys()) {
      byHop.set(address, [...(byHop.get(address) ?? []), one]);
    }
  }
  for (const [address, checks] of byHop) {
    if (new Set(checks.map(({ target }) => target)).size < 2) byHop.delete(address);
  }
  return byHop;
}

/** Lists the hop addresses that at least two failing checks with different targets share. */
export function listSuspects(failing: readonly FailingPath[]): string[] {
  return [...groupByHop(failing.flatMap((one) => readEndedPath(one) ?? [])).keys()];
}

/** Counts the failing checks whose path ends before the target. */
export function countEnded(failing: readonly FailingPath[]): number {
  return failing.filter((one) => readEndedPath(one) !== null).length;
}

const countWhere = (checks: readonly EndedPath[], matches: (one: EndedPath) => boolean) =>
  checks.filter(matches).length;

const maxShared = 3;

/**
 * Finds at most three hops that failing checks share and passing checks do not use. Each check is
 * assigned to at most one hop.
 *
 * The hops are selected one after another. Each time, the hop with the most unassigned checks is
 * selected. The first tie-breaker is the number of checks whose last good path continues at the
 * hop, after the end of their failing path. The second tie-breaker is the number of checks whose
 * failing path ends at the hop.
 */
export function findSharedHops(
  failing: readonly FailingPath[],
  usedByPassing: ReadonlySet<string>,
): SharedHop[] {
  const shared: SharedHop[] = [];
  let left = failing.flatMap((one) => readEndedPath(one) ?? []);
  while (shared.length < maxShared) {
    const suspects = [...groupByHop(left)].filter(([address]) => !usedByPassing.has(address));
    const ranked = suspects.map(([address, checks]) => ({
      address,
      checks,
      order: [
        checks.length,
        countWhere(checks, ({ next }) => next === address),
        countWhere(checks, ({ last }) => last === address),
      ],
    }));
    const [first] = ranked.toSorted((one, other) => compareDescending(one.order, other.order));
    if (first === undefined) break;
    const { address, checks } = first;
    const name = checks.map(({ hops }) => hops.get(address)).find((one) => one != null) ?? null;
    shared.push({ address, name, checkIds: checks.map(({ checkId }) => checkId) });
    left = left.filter((one) => !checks.includes(one));
  }
  return shared;
}

function compareDescending(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) {
    const difference = (other[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Counts of the checks whose paths were compared. */
export interface ComparedPaths {
  /** Number of failing checks whose path ends before the target. */
  readonly failing: number;
  /** Number of passing checks whose path is known. */
  readonly passing: number;
}

/**
 * Describes a shared hop. Omits its reverse name, which the owner of the address can choose freely.
 */
export function describeSharedHop(
  hop: Omit<SharedHop, "name">,
  { failing, passing }: ComparedPaths,
): string {
  const { address, checkIds } = hop;
  const others =
    passing === 0
      ? "no path of a passing check is known"
      : `no path of ${passing === 1 ? "the passing check" : `${passing} passing checks`} uses it`;
  const share = `${checkIds.length} of ${failing} failing checks whose path ends early`;
  return `${share} share the hop ${address}; ${others}.`;
}
