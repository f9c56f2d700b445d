import assert from "node:assert/strict";
import { test } from "node:test";
import { findOutstanding } from "./loops.ts";

const plan = { periodMs: 60_000, splayMs: 0 };
const check = (places: readonly string[], runParallel: boolean) => ({
  // This id gives the first run to the first location.
  checkId: "00000000-0000-7000-8000-000000000000",
  plan,
  places,
  sinceMs: 0,
  settings: { runParallel },
});
const now = { place: "office", nowMs: 600_500 };
const lastRun = (lastDueAtMs: number, officeMs: number) => ({
  lastDueAtMs,
  locations: { office: { verdict: "passing", resultId: "r", atMs: officeMs } as const },
});

test("the newest run waits until it has a result from that location", () => {
  const all = check(["office", "eu-west-1"], true);
  assert.equal(findOutstanding(all, undefined, now), 600_000);
  assert.equal(findOutstanding(all, lastRun(600_000, 540_000), now), 600_000);
  assert.equal(findOutstanding(all, lastRun(600_000, 600_000), now), null);
});

test("with round robin, only runs of the location count", () => {
  // Run 10 uses the first location.
  assert.equal(findOutstanding(check(["office", "lab"], false), undefined, now), 600_000);
  assert.equal(findOutstanding(check(["lab", "office"], false), undefined, now), null);
  assert.equal(findOutstanding(check(["office"], false), lastRun(600_000, 0), now), null);
});

test("no run was due before the check was last changed", () => {
  const fresh = { ...check(["office"], true), sinceMs: 600_000 };
  assert.equal(findOutstanding(fresh, undefined, now), null);
});
