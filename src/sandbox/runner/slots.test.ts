import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  browserShares,
  claimSlots,
  decideCapacity,
  FairQueue,
  machineSlots,
  SlotPool,
} from "./slots.ts";

const mib = 2 ** 20;
const decide = (cores: number, memoryMib: number, concurrency: number | null = null) =>
  decideCapacity(concurrency, 512 * mib, { cores, memoryBytes: memoryMib * mib });

test("cores and half of the memory limit scripts, and an operator's number replaces both", () => {
  assert.deepEqual(decide(4, 16_384), { slots: 4, shares: 16 });
  assert.deepEqual(decide(4, 2_048), { slots: 2, shares: 2 });
  assert.deepEqual(decide(4, 256), { slots: 1, shares: 1 });
  assert.equal(decide(1, 256, 8).slots, 8);
});

test("a script with a browser waits until there is memory for two others", () => {
  const pool = new SlotPool(decide(4, 4_096), [1, 2, 3, 4]);
  assert.deepEqual([pool.take(1), pool.take(browserShares)], [1, 2]);
  assert.equal(pool.take(browserShares), null);
  assert.equal(pool.take(1), 3);
  assert.equal(pool.take(1), null);
  pool.release(1);
  assert.equal(pool.take(browserShares), null);
  pool.release(3);
  assert.equal(pool.take(browserShares), 4);
});

test("a script runs alone where there is too little memory for it", () => {
  const pool = new SlotPool(decide(4, 256), [1]);
  assert.equal(pool.take(browserShares), 1);
  assert.equal(pool.take(1), null);
  pool.release(1);
  assert.equal(pool.take(browserShares), 1);
});

test("as many scripts with browsers run as an operator says", () => {
  const pool = new SlotPool(decide(1, 256, 3), [1, 2, 3]);
  const slots = Array.from({ length: 4 }, () => pool.take(browserShares));
  assert.deepEqual(slots, [1, 2, 3, null]);
});

test("no slot is claimed twice on a machine while there are others", async () => {
  const [one, other] = [await claimSlots(3), await claimSlots(3)];
  const both = [...one.slots, ...other.slots];
  assert.equal(new Set(both).size, 6);
  assert.ok(Math.max(...both) < machineSlots);
  one.release();
  other.release();
});

test("accounts take turns, and each keeps its order", () => {
  const queue = new FairQueue<string>(10);
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.add(item[0] ?? "", item);
  const taken = Array.from({ length: 7 }, () => queue.next());
  assert.deepEqual(taken, ["a1", "b1", "c1", "a2", "c2", "a3", undefined]);
});

test("a full queue sheds the newest item of the account with most items", () => {
  const queue = new FairQueue<string>(3);
  for (const item of ["a1", "a2", "a3"]) assert.equal(queue.add("a", item), null);
  assert.equal(queue.add("b", "b1"), "a3");
  assert.equal(queue.add("a", "a4"), "a4");
  assert.deepEqual([queue.next(), queue.next(), queue.next()], ["a1", "b1", "a2"]);
});

test("nothing is lost or invented, and the size stays within the limit", () => {
  const keys = fc.array(fc.constantFrom("a", "b", "c", "d", null), { maxLength: 60 });
  fc.assert(
    fc.property(keys, (actions) => {
      const queue = new FairQueue<number>(5);
      const gone: (number | undefined)[] = [];
      let added = 0;
      for (const [item, key] of actions.entries()) {
        if (key === null) {
          const first = queue.first();
          const next = queue.next();
          assert.equal(first, next);
          if (next !== undefined) gone.push(next);
        } else {
          added += 1;
          const shed = queue.add(key, item);
          if (shed !== null) gone.push(shed);
        }
        assert.ok(queue.size <= 5);
      }
      for (let next = queue.next(); next !== undefined; next = queue.next()) gone.push(next);
      assert.equal(new Set(gone).size, added);
    }),
  );
});
