import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findCycle, findFailingParent, maxAncestors } from "./parent-store.ts";

function build(edges: Readonly<Record<string, readonly string[]>>) {
  return new Map(Object.entries(edges));
}

test("a graph without a cycle has none, diamonds included", () => {
  assert.equal(findCycle(build({})), null);
  assert.equal(findCycle(build({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] })), null);
});

test("a cycle is listed from one of its checks back to the same one", () => {
  assert.deepEqual(findCycle(build({ a: ["a"] })), ["a", "a"]);
  assert.deepEqual(findCycle(build({ x: ["a"], a: ["b"], b: ["c"], c: ["a"] })), [
    "a",
    "b",
    "c",
    "a",
  ]);
});

test("a very long chain does not overflow the stack", () => {
  const length = 200_000;
  const chain = new Map(
    Array.from({ length }, (_, index): [string, string[]] => [`${index}`, [`${index + 1}`]]),
  );
  assert.equal(findCycle(chain), null);
  chain.set(`${length}`, ["0"]);
  assert.equal(findCycle(chain)?.length, length + 2);
});

test("a cycle is found exactly when there is one", () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  const edges = fc.dictionary(fc.constantFrom(...ids), fc.subarray(ids), { maxKeys: 6 });
  fc.assert(
    fc.property(edges, (raw) => {
      const graph = new Map(Object.entries(raw));
      const reaches = (from: string): Set<string> => {
        let reachable = new Set(graph.get(from) ?? []);
        for (let step = 0; step < ids.length; step += 1) {
          reachable = new Set([...reachable].flatMap((id) => [id, ...(graph.get(id) ?? [])]));
        }
        return reachable;
      };
      const cycle = findCycle(graph);
      assert.equal(
        cycle !== null,
        ids.some((id) => reaches(id).has(id)),
      );
      for (const [index, id] of (cycle ?? []).slice(0, -1).entries()) {
        assert.ok(graph.get(id)?.includes(cycle?.[index + 1] ?? ""));
      }
      assert.equal(cycle?.[0], cycle?.at(-1));
    }),
  );
});

function find(edges: Readonly<Record<string, readonly string[]>>, failing: readonly string[]) {
  const statusOf = (id: string) => (failing.includes(id) ? "failing" : "passing");
  return findFailingParent("child", (id) => edges[id] ?? [], statusOf);
}

test("a check is held by its nearest failing ancestor", () => {
  const edges = { child: ["switch", "dns"], switch: ["router"], router: ["uplink"] };
  assert.equal(find(edges, []), null);
  assert.equal(find(edges, ["child"]), null, "its own failure does not hold it");
  assert.equal(find(edges, ["uplink"]), "uplink");
  assert.equal(find(edges, ["uplink", "router"]), "router");
  assert.equal(find(edges, ["router", "dns"]), "dns");
});

test("a cycle neither hangs the search nor makes a check its own parent", () => {
  const edges = { child: ["b"], b: ["child"] };
  assert.equal(find(edges, ["child"]), null);
  assert.equal(find(edges, ["b"]), "b");
});

test("degraded and unknown parents hold nothing", () => {
  for (const status of ["degraded", "unknown", "passing", null]) {
    const parentsOf = (id: string) => (id === "child" ? ["parent"] : []);
    const found = findFailingParent("child", parentsOf, () => status);
    assert.equal(found, null);
  }
});

test("the search stops at a limit, however large the graph is", () => {
  let lookups = 0;
  const endless = (id: string) => {
    lookups += 1;
    return [`${id}l`, `${id}r`];
  };
  const found = findFailingParent("c", endless, () => "passing");
  assert.equal(found, null);
  assert.ok(lookups <= maxAncestors);
});
