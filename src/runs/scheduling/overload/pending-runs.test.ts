import assert from "node:assert/strict";
import { test } from "node:test";
import { PendingRuns } from "./run-gate.ts";

const run = (checkId: string, dueAtMs: number, latestStartMs = dueAtMs + 10_000) => ({
  checkId,
  dueAtMs,
  latestStartMs,
  locations: ["home"],
});

function takeAll(pending: PendingRuns, nowMs: number): string[] {
  const taken: string[] = [];
  for (let next = pending.takeNext(nowMs); next !== null; next = pending.takeNext(nowMs)) {
    taken.push(next.checkId);
  }
  return taken;
}

test("the newest due run goes first", () => {
  const pending = new PendingRuns();
  for (const [at, checkId] of ["a", "b", "c"].entries()) pending.add(run(checkId, at));
  assert.deepEqual(takeAll(pending, 5), ["c", "b", "a"]);
});

test("a check whose run was skipped precedes checks whose last run was executed", () => {
  const pending = new PendingRuns();
  pending.add(run("skipped", 0));
  assert.equal(pending.add(run("skipped", 60_000))?.dueAtMs, 0);
  pending.add(run("newer", 60_001));
  assert.deepEqual(takeAll(pending, 60_002), ["skipped", "newer"]);
  // Losses count less with every executed run.
  for (let turn = 2; turn < 40; turn += 1) {
    pending.add(run("skipped", turn * 60_000));
    takeAll(pending, turn * 60_000);
  }
  pending.add(run("skipped", 2_400_000));
  pending.add(run("newer", 2_400_001));
  assert.deepEqual(takeAll(pending, 2_400_002), ["newer", "skipped"]);
});

test("a run that cannot meet its deadline is never returned, and is reported once", () => {
  const pending = new PendingRuns();
  pending.add(run("slow", 0, 100));
  pending.add(run("quick", 0, 1_000));
  assert.deepEqual(takeAll(pending, 101), ["quick"]);
  assert.deepEqual(
    pending.takeExpired(101).map(({ checkId }) => checkId),
    ["slow"],
  );
  assert.deepEqual(pending.takeExpired(101), []);
  assert.equal(pending.size, 0);
});

test("at any overload every check loses the same share of its runs", () => {
  for (const [checkCount, capacity] of [
    [30, 20],
    [30, 10],
    [30, 3],
  ] as const) {
    const pending = new PendingRuns();
    const made = new Map<string, number>();
    const periods = 100;
    for (let tick = 0; tick < checkCount * periods; tick += 1) {
      pending.add(run(`check ${tick % checkCount}`, tick, tick + checkCount / 2));
      // Capacity for `capacity` of `checkCount` runs, spread over the period.
      const capacityNow = Math.floor(((tick + 1) * capacity) / checkCount);
      if (capacityNow === Math.floor((tick * capacity) / checkCount)) continue;
      const next = pending.takeNext(tick);
      if (next !== null) made.set(next.checkId, (made.get(next.checkId) ?? 0) + 1);
      if (tick % 10 === 0) pending.takeExpired(tick);
    }
    const counts = [...made.values()];
    const fairCount = (periods * capacity) / checkCount;
    assert.equal(made.size, checkCount);
    assert.ok(Math.min(...counts) >= fairCount * 0.9 - 1, `${Math.min(...counts)} of ${fairCount}`);
    assert.ok(Math.max(...counts) <= fairCount * 1.1 + 1, `${Math.max(...counts)} of ${fairCount}`);
  }
});

test("a check that is no longer scheduled leaves nothing behind", () => {
  const pending = new PendingRuns();
  pending.add(run("gone", 0));
  pending.forget("gone");
  assert.equal(pending.size, 0);
  assert.deepEqual(takeAll(pending, 1), []);
  assert.deepEqual(pending.takeExpired(1_000_000), []);
});
