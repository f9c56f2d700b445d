/** Checks that others depend on: an edge goes from a check to each of its parents. */
export type ParentGraph = ReadonlyMap<string, readonly string[]>;

/** Nobody's network is so deep; a graph that is, is a fault, and must not stop a decision. */
export const maxAncestors = 1_000;

/**
 * The checks of one circle, the first again at the end; null when there is none. Walks without
 * recursion: a chain as long as a table must not overflow the stack.
 */
export function findCycle(graph: ParentGraph): readonly string[] | null {
  const done = new Set<string>();
  for (const start of graph.keys()) {
    const cycle = findCycleFrom(start, graph, done);
    if (cycle !== null) return cycle;
  }
  return null;
}

function findCycleFrom(
  start: string,
  graph: ParentGraph,
  done: Set<string>,
): readonly string[] | null {
  if (done.has(start)) return null;
  const parentsOf = (id: string) => (graph.get(id) ?? [])[Symbol.iterator]();
  const trail = [{ id: start, parents: parentsOf(start) }];
  const onTrail = new Set([start]);
  for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
    const { value: parent, done: isExhausted } = top.parents.next();
    if (isExhausted === true || parent === undefined) {
      done.add(top.id);
      onTrail.delete(top.id);
      trail.pop();
      continue;
    }
    if (onTrail.has(parent)) {
      const ids = trail.map((step) => step.id);
      return [...ids.slice(ids.indexOf(parent)), parent];
    }
    if (done.has(parent)) continue;
    onTrail.add(parent);
    trail.push({ id: parent, parents: parentsOf(parent) });
  }
  return null;
}

/**
 * The nearest check above this one that fails; among those equally near, the one named first.
 * A check in a circle is never its own excuse.
 */
export function findFailingParent(
  checkId: string,
  parentsOf: (checkId: string) => readonly string[],
  statusOf: (checkId: string) => string | null,
): string | null {
  const met = new Set([checkId]);
  const waiting = [checkId];
  // The list grows while it is walked, nearest first, and never beyond the limit.
  for (const id of waiting) {
    for (const parent of parentsOf(id)) {
      if (met.has(parent)) continue;
      if (met.size > maxAncestors) return null;
      if (statusOf(parent) === "failing") return parent;
      met.add(parent);
      waiting.push(parent);
    }
  }
  return null;
}
