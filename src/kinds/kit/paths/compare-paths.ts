import type { Path, PathHop } from "./path.ts";

/** Result of a trace: the path, or the reason why there is none. */
export type Traced = { readonly path: Path } | { readonly trouble: string };

/**
 * Paths that were traced after a failed run: the failing path, and working paths for comparison.
 */
export interface PathReport {
  /** Location in which the run failed and from which the failing path was traced. */
  readonly location: string;
  readonly tracedAtMs: number;
  readonly failing: Traced;
  /** Path from another location, in which the check passes; `null` if there is none. */
  readonly passing: { readonly location: string; readonly path: Path } | null;
  /** Last path recorded from `location` while the check passed; `null` if there is none. */
  readonly lastGood: { readonly learnedAtMs: number; readonly path: Path } | null;
}

function writeHop(path: Path, number: number): string {
  const address = path.hops[number - 1]?.address ?? null;
  return address === null ? `hop ${number}` : `hop ${number} (${address})`;
}

function countHops({ hops }: Pick<Path, "hops">): string {
  return hops.length === 1 ? "1 hop" : `${hops.length} hops`;
}

/** Returns whether two hops have the same address. A hop that did not respond matches every hop. */
function isSameHop(one: PathHop | undefined, other: PathHop | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.address === null || other.address === null || one.address === other.address;
}

/**
 * Finds the hop that should follow the end of `path`. For comparison, `good` is a path that was
 * traced while the check passed. Returns the number of the first hop of `good` that comes after the
 * end of `path` and responded; `null` if there is none.
 *
 * The last hop of `path` is located in `good` by its address. If `good` does not contain this
 * address, the hop number is used instead.
 */
export function findNextHop(path: Path, good: Path): number | null {
  const last = path.hops.at(-1)?.address ?? null;
  const known = last === null ? -1 : good.hops.findIndex(({ address }) => address === last);
  const at = known < 0 ? path.hops.length : known + 1;
  const next = good.hops.findIndex(({ address }, index) => index >= at && address !== null);
  return next < 0 ? null : next + 1;
}

/**
 * Returns the first hop number at which two paths differ; `null` if the shorter path matches the
 * beginning of the longer path.
 */
export function findDifference(path: Path, other: Path): number | null {
  const length = Math.min(path.hops.length, other.hops.length);
  for (let index = 0; index < length; index += 1) {
    if (!isSameHop(path.hops[index], other.hops[index])) return index + 1;
  }
  return null;
}

function writeEnd(path: Path): string {
  const { length } = path.hops;
  if (path.end === "reached") {
    return `The path to ${path.address} is complete: the target responded at hop ${length}`;
  }
  if (length === 0) return `No hop of the path to ${path.address} responded`;
  const last = writeHop(path, length);
  if (path.end === "loop") return `The path loops at ${last}`;
  if (path.end === "error") return `The path ends at ${last}: ${path.hops[length - 1]?.error}`;
  return `The path ends after ${last}`;
}

function writeGood(path: Path, good: Path): string {
  if (path.end === "reached") {
    const difference = findDifference(path, good);
    if (difference === null) return "";
    return `; it differs from the last good path at ${writeHop(path, difference)}`;
  }
  const next = findNextHop(path, good);
  if (next !== null) return `; the last good path went on to ${writeHop(good, next)}`;
  return good.end === "reached" ? "" : "; the last good path ended there too";
}

function writePassing({ location, path }: NonNullable<PathReport["passing"]>): string {
  const from = `From ${location}, where the check passes,`;
  if (path.end === "reached") return `${from} the path reaches the target with ${countHops(path)}.`;
  const end = writeEnd(path);
  return `${from} ${end.charAt(0).toLowerCase()}${end.slice(1)}.`;
}

/**
 * Describes the paths in one or two sentences. If the failing path could not be traced, returns the
 * first line of the reason.
 */
export function summarizePaths({ failing, passing, lastGood }: PathReport): string {
  if (!("path" in failing)) return failing.trouble.split("\n", 1)[0] ?? "";
  const { path } = failing;
  const compared = lastGood === null ? "" : writeGood(path, lastGood.path);
  const own = `${writeEnd(path)}${compared}.`;
  return passing === null ? own : `${own} ${writePassing(passing)}`;
}
