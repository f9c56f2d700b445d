import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FairQueue } from "./evaluation-thread.ts";

test("owners take turns regardless of their number of jobs", () => {
  const queue = new FairQueue<string>(100);
  for (const job of ["a1", "a2", "a3", "a4", "b1", "c1", "c2"]) queue.add(job.slice(0, 1), job);
  const taken = Array.from({ length: 8 }, () => queue.take());
  assert.deepEqual(taken, ["a1", "b1", "c1", "a2", "c2", "a3", "a4", undefined]);
});

test("only the owner with too many jobs is rejected", () => {
  const queue = new FairQueue<number>(2);
  assert.deepEqual([queue.add("a", 1), queue.add("a", 2), queue.add("a", 3)], [true, true, false]);
  assert.equal(queue.add("b", 1), true);
});

test("a new owner waits for at most one job of each other owner", () => {
  const jobs = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 50 });
  fc.assert(
    fc.property(jobs, (owners) => {
      const queue = new FairQueue<string>(100);
      for (const owner of owners) queue.add(owner, owner);
      queue.add("late", "late");
      const before: string[] = [];
      for (let job = queue.take(); job !== "late"; job = queue.take()) before.push(job ?? "");
      assert.equal(new Set(before).size, before.length);
    }),
  );
});
