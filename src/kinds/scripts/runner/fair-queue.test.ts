import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FairQueue } from "./fair-queue.ts";

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
