import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DueQueue } from "./due-queue.ts";

type Step =
  | { readonly kind: "add"; readonly key: string; readonly dueAtMs: number }
  | { readonly kind: "remove"; readonly key: string }
  | { readonly kind: "take"; readonly nowMs: number };

const keys = fc.constantFrom(..."abcdefghijklmnop");
const times = fc.integer({ min: 0, max: 50 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("add"), key: keys, dueAtMs: times }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove"), key: keys }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("take"), nowMs: times }) },
);

test("random operations agree with a plain map", () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 200 }), (list) => {
      const queue = new DueQueue();
      const model = new Map<string, number>();
      for (const step of list) {
        if (step.kind === "add") {
          queue.add(step.key, step.dueAtMs);
          model.set(step.key, step.dueAtMs);
        } else if (step.kind === "remove") {
          assert.equal(queue.remove(step.key), model.delete(step.key));
        } else {
          assertTaken(queue.takeDue(step.nowMs), model, step.nowMs);
        }
        assert.equal(queue.size, model.size);
        assert.equal(queue.nextDueAtMs, model.size === 0 ? null : Math.min(...model.values()));
      }
    }),
  );
});

function assertTaken(
  taken: readonly { readonly key: string; readonly dueAtMs: number }[],
  model: Map<string, number>,
  nowMs: number,
): void {
  const due = [...model].filter(([, dueAtMs]) => dueAtMs <= nowMs);
  const inOrder = due.map(([, dueAtMs]) => dueAtMs).toSorted((one, other) => one - other);
  assert.deepEqual(
    taken.map((item) => item.dueAtMs),
    inOrder,
  );
  for (const { key, dueAtMs } of taken) {
    assert.equal(model.get(key), dueAtMs);
    model.delete(key);
  }
}

test("the number of items taken can be limited", () => {
  const queue = new DueQueue();
  for (const [index, key] of ["c", "a", "b"].entries()) queue.add(key, index);
  assert.deepEqual(queue.takeDue(10, 2), [
    { key: "c", dueAtMs: 0 },
    { key: "a", dueAtMs: 1 },
  ]);
  assert.deepEqual([queue.size, queue.has("b"), queue.has("c")], [1, true, false]);
});

test("a hundred thousand checks are queued, moved and taken without duplicate keys", () => {
  const queue = new DueQueue();
  for (let round = 0; round < 3; round += 1) {
    for (let check = 0; check < 100_000; check += 1) {
      queue.add(`check-${check}`, (check * 7_919) % 60_000);
    }
  }
  assert.equal(queue.size, 100_000);
  const taken = queue.takeDue(60_000);
  assert.equal(new Set(taken.map((item) => item.key)).size, 100_000);
  assert.equal(queue.size, 0);
});

test("a due time that is not a number is rejected", () => {
  assert.throws(() => new DueQueue().add("a", Number.NaN), RangeError);
});
