import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deriveRunId, idFloor, type RunKey, readDueAtMs } from "./run-id.ts";

const dueTimes = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const keys: fc.Arbitrary<RunKey> = fc.record({
  checkId: fc.uuid(),
  dueAtMs: dueTimes,
  location: fc.string(),
  attempt: fc.integer({ min: 1, max: 11 }),
});

test("an id is a UUID of version 7 that contains its due time", () => {
  fc.assert(
    fc.property(keys, (key) => {
      const id = deriveRunId(key);
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(readDueAtMs(id), key.dueAtMs);
    }),
  );
});

test("the same run has the same id, and different runs have different ids", () => {
  fc.assert(
    fc.property(keys, keys, (one, other) => {
      assert.equal(deriveRunId(one), deriveRunId({ ...one }));
      const isSame = JSON.stringify(Object.entries(one)) === JSON.stringify(Object.entries(other));
      assert.equal(deriveRunId(one) === deriveRunId(other), isSame);
    }),
  );
});

test("every part of the key changes the id", () => {
  const key = { checkId: "c", dueAtMs: 1_000, location: "eu", attempt: 1 };
  const variants: RunKey[] = [
    key,
    { ...key, checkId: "d" },
    { ...key, dueAtMs: 1_001 },
    { ...key, location: "us" },
    { ...key, attempt: 2 },
    { ...key, location: 'eu",1' },
    { ...key, checkId: "c1", location: "" },
  ];
  assert.equal(new Set(variants.map(deriveRunId)).size, variants.length);
});

test("ids stay the same across releases, because they are stored", () => {
  const key = { checkId: "c", dueAtMs: 1_700_000_000_000, location: "eu-west-1", attempt: 1 };
  assert.equal(deriveRunId(key), "018bcfe5-6800-74f0-a271-18a2fa65ddb4");
});

test("ids sort by due time, and the smallest id of a millisecond separates before and after", () => {
  fc.assert(
    fc.property(keys, dueTimes, (key, ms) => {
      const id = deriveRunId(key);
      assert.equal(id >= idFloor(ms), key.dueAtMs >= ms);
    }),
  );
});

test("times out of range are clamped", () => {
  assert.equal(idFloor(-1), "00000000-0000-0000-0000-000000000000");
  assert.equal(idFloor(1e300), "ffffffff-ffff-0000-0000-000000000000");
  assert.equal(idFloor(1_700_000_000_000.7), "018bcfe5-6800-0000-0000-000000000000");
});

test("a due time out of range throws", () => {
  for (const dueAtMs of [-1, 0.5, 2 ** 48, Number.NaN, Number.POSITIVE_INFINITY]) {
    const key = { checkId: "c", dueAtMs, location: "eu", attempt: 1 };
    assert.throws(() => deriveRunId(key), RangeError);
  }
  assert.throws(() => readDueAtMs("not-an-id"), RangeError);
});
