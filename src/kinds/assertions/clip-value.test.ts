import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import { clipValue } from "./clip-value.ts";

test("small values are unchanged", () => {
  for (const value of [null, true, 1.5, "text", [1, [2]], { a: { b: [null] } }]) {
    assert.deepEqual(clipValue(value), value);
  }
});

test("the output is bounded for any input", () => {
  const texts = fc.string({ maxLength: 2_000, size: "max" });
  const values = fc.oneof(fc.jsonValue({ maxDepth: 8 }), fc.array(fc.array(texts)));
  fc.assert(
    fc.property(values, (value) => {
      assert.ok(JSON.stringify(clipValue(value)).length <= 200_000);
    }),
    { numRuns: propertyRuns / 4 },
  );
});

test("long texts, long lists and deep nesting are visibly truncated", () => {
  assert.equal(clipValue("x".repeat(600)), `${"x".repeat(500)}…`);
  const list = clipValue(new Array(1_000).fill(0));
  assert.ok(Array.isArray(list) && list.length <= 101 && list.at(-1) === "…");
  const record = clipValue(Object.fromEntries(Array.from({ length: 300 }, (_, key) => [key, 0])));
  assert.ok(Object.keys(record ?? {}).length <= 101 && JSON.stringify(record).includes("…"));
  let deep: unknown = 1;
  for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
  assert.equal(JSON.stringify(clipValue(deep)), '[[[[[["…"]]]]]]');
});

test("values that JSON cannot represent become null", () => {
  assert.deepEqual(clipValue([undefined, Symbol("s"), () => 1]), [null, null, null]);
});

test("NUL characters, which PostgreSQL rejects, are replaced", () => {
  assert.deepEqual(clipValue({ "a\0": ["\0b"] }), { "a␀": ["␀b"] });
});
