import assert from "node:assert/strict";
import { test } from "node:test";
import { listWithKeys } from "./keys.ts";

test("keys are unique, and stay the same when items are added", () => {
  const keysOf = (items: readonly string[]) =>
    listWithKeys(items, (item) => item).map(({ key }) => key);
  const few = keysOf(["a", "b", "a", "2 a", "1 a"]);
  assert.equal(new Set(few).size, 5);
  assert.deepEqual(keysOf(["a", "b", "a", "2 a", "1 a", "a", "b"]).slice(0, 5), few);
});
