import assert from "node:assert/strict";
import { test } from "node:test";
import { decideCollection } from "./digest-store.ts";

const nowMs = 10_000;
const endsAtMs = 60_000;
const at = (messageCount: number, batchCount: number) => {
  const { dueAtMs, isCollected } = decideCollection({ endsAtMs, messageCount }, batchCount, nowMs);
  return [dueAtMs, isCollected];
};

test("the first three messages of a minute are sent immediately and individually", () => {
  assert.deepEqual(at(1, 1), [nowMs, false]);
  assert.deepEqual(at(3, 3), [nowMs, false]);
  assert.deepEqual(at(3, 2), [nowMs, false]);
});

test("further messages wait for the end of the minute", () => {
  assert.deepEqual(at(4, 1), [endsAtMs, true]);
  assert.deepEqual(at(54, 51), [endsAtMs, true]);
});

test("a batch of more than three messages is sent immediately as one digest", () => {
  assert.deepEqual(at(4, 4), [nowMs, true]);
  assert.deepEqual(at(54, 54), [nowMs, true]);
});
