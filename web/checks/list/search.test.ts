import assert from "node:assert/strict";
import { test } from "node:test";
import { parseListSearch, toFilter, toggleFacet, toggleSort } from "./search.ts";

test("invalid values in the address are ignored", () => {
  assert.deepEqual(parseListSearch({ state: "odd", sort: "odd", hide: ["odd"], groupId: "x" }), {});
  assert.deepEqual(
    parseListSearch({ q: 7, state: ["failing", "failing"], tag: true, groupId: 3, muted: true }),
    { q: "7", state: ["failing"], tag: ["true"], groupId: ["3"], muted: true },
  );
  assert.deepEqual(parseListSearch({ sort: "name", order: "desc", hide: "bar" }), {
    order: "desc",
    hide: ["bar"],
  });
});

test("the filter contains only parameters that the API accepts", () => {
  assert.deepEqual(toFilter({ q: "a", groupId: ["0"], sort: "p95", hide: ["bar"] }), {
    search: "a",
    groupId: [0],
  });
});

test("a value can be selected and deselected without leaving a trace", () => {
  const chosen = toggleFacet({}, "tag", "edge");
  assert.deepEqual(chosen, { tag: ["edge"] });
  assert.deepEqual(toggleFacet(chosen, "tag", "edge"), {});
});

test("a second click on a column reverses the order", () => {
  assert.deepEqual(toggleSort({}, "name"), { order: "desc" });
  assert.deepEqual(toggleSort({ order: "desc" }, "name"), {});
  assert.deepEqual(toggleSort({}, "p95"), { sort: "p95", order: "desc" });
  assert.deepEqual(toggleSort({ sort: "p95", order: "desc" }, "p95"), { sort: "p95" });
});
