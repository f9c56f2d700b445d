import assert from "node:assert/strict";
import { test } from "node:test";
import { decideBy, parseBy } from "./group-search.ts";

test("many open alerts are grouped by cause unless another grouping is selected", () => {
  assert.equal(decideBy(undefined, 10), "none");
  assert.equal(decideBy(undefined, 11), "cause");
  assert.equal(decideBy("none", 54), "none");
  assert.equal(decideBy("tag", 1), "tag");
});

test("an unknown grouping in the address is ignored", () => {
  assert.deepEqual(parseBy("location"), { by: "location" });
  for (const odd of ["odd", 1, null, undefined, ["tag"]]) assert.deepEqual(parseBy(odd), {});
});
