import assert from "node:assert/strict";
import { test } from "node:test";
import { createOrderedIds } from "./ordered-id.ts";

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids sort in the order of creation, even within one millisecond", () => {
  const createId = createOrderedIds();
  const ids = Array.from({ length: 10_000 }, createId);
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, shape);
});

test("setting the clock back does not reverse the order", () => {
  const later = "0199a1f0-0001-7000-8000-00000000ffff";
  const given = [later, "0199a1f0-0000-7000-8000-000000000000", later];
  const createId = createOrderedIds(() => given.shift() ?? "");
  assert.deepEqual(
    [createId(), createId(), createId()],
    [later, "0199a1f0-0001-7000-8000-000000010000", "0199a1f0-0001-7000-8000-000000010001"],
  );
});
