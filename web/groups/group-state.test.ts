import assert from "node:assert/strict";
import { test } from "node:test";
import { findAvailability, findGroupState, listStateCounts } from "./group-state.ts";

test("the state of a group is the worst of its checks", () => {
  const counts = listStateCounts([
    { value: "passing", count: 12 },
    { value: "failing", count: 2 },
    { value: "odd", count: 1 },
    { value: "degraded", count: 0 },
  ]);
  assert.deepEqual(counts, [
    { state: "failing", count: 2 },
    { state: "passing", count: 12 },
  ]);
  assert.equal(findGroupState(counts), "failing");
  assert.equal(findGroupState([]), null);
});

test("the availability of a group excludes checks without enough data", () => {
  const check = (name: string, availability: number | null, hasEnoughData = true) => ({
    name,
    availability,
    hasEnoughData,
  });
  const found = findAvailability([check("a", 100), check("b", 98), check("c", 0, false)]);
  assert.deepEqual(found, { mean: 99, worst: { name: "b", availability: 98 }, count: 2 });
  assert.equal(findAvailability([check("new", null), check("newer", 0, false)]), null);
});
