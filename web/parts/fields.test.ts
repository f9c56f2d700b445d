import assert from "node:assert/strict";
import { test } from "node:test";
import { getFlag, getList, getNumber, getText, isSame, mergeFields, omitAt } from "./fields.ts";

const fields = { name: "x", port: 0, ratio: Number.NaN, on: true, tags: [{ key: "a" }, null] };

test("a value of another type is read as missing", () => {
  assert.deepEqual([getText(fields, "name"), getText(fields, "port")], ["x", ""]);
  assert.deepEqual([getNumber(fields, "port"), getNumber(fields, "ratio")], [0, null]);
  assert.deepEqual([getFlag(fields, "on"), getFlag(fields, "name")], [true, false]);
  assert.deepEqual(getList(fields, "tags"), [{ key: "a" }]);
  assert.deepEqual(getList(fields, "name"), []);
});

test("omitting a value keeps its siblings and the original", () => {
  const nested = { request: { url: "u", body: "b" }, name: "n" };
  assert.deepEqual(omitAt(nested, "request.body"), { request: { url: "u" }, name: "n" });
  assert.deepEqual(omitAt(nested, "missing.body"), nested);
  assert.equal(nested.request.body, "b");
});

test("objects are merged recursively, and lists are replaced", () => {
  const under = { request: { url: "u", headers: [1, 2] }, name: "n" };
  const merged = mergeFields(under, { request: { headers: [3] }, name: null });
  assert.deepEqual(merged, { request: { url: "u", headers: [3] }, name: null });
});

test("an undefined property counts as missing, and a list is no object", () => {
  assert.equal(isSame({ a: 1, b: undefined }, { a: 1 }), true);
  assert.equal(isSame({ a: null }, {}), false);
  assert.equal(isSame([], {}), false);
  assert.equal(isSame([1, [2]], [1, [2]]), true);
  assert.equal(isSame([1], [1, 2]), false);
});
