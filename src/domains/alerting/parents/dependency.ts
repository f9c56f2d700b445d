/** The parents of each check. */
export type ParentGraph = ReadonlyMap<string, readonly string[]>;

/** Deeper than any real network; bounds the search in a broken graph. */
export const maxAncestors = 1_000;

/**
 * Returns the checks of one cycle, with the first repeated at the end; `null` if there is none.
 * Iterative, because a very long chain must not overflow the stack.
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
 * Returns the nearest failing ancestor; among equally near ones, the first in order. A check in a
 * cycle is never its own parent.
 */
export function findFailingParent(
  checkId: string,
  parentsOf: (checkId: string) => readonly string[],
  statusOf: (checkId: string) => string | null,
): string | null {
  const visited = new Set([checkId]);
  const waiting = [checkId];
  // Breadth-first search: the list grows while it is iterated, up to the limit.
  for (const id of waiting) {
    for (const parent of parentsOf(id)) {
      if (visited.has(parent)) continue;
      if (visited.size > maxAncestors) return null;
      if (statusOf(parent) === "failing") return parent;
      visited.add(parent);
      waiting.push(parent);
    }
  }
  return null;
}
