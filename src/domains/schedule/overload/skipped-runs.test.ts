import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { createScheduleMetrics } from "../context.ts";
import { RunLoad } from "./run-load.ts";
import { SkippedRuns } from "./skipped-runs.ts";

const run = (dueAtMs: number, count = 1) => ({ checkId: "check", dueAtMs, count });

test("the share covers the last minute only and excludes runs noticed too late", () => {
  const skipped = new SkippedRuns();
  skipped.noteDue(90, 1_000);
  skipped.noteDue(10, 30_000);
  skipped.noteSkipped(run(0, 25), "overloaded", 30_500);
  skipped.noteSkipped(run(0, 50), "late", 30_500);
  assert.equal(skipped.share(31_000), 0.25);
  // The first ninety were due more than a minute ago.
  assert.equal(skipped.share(61_500), 1);
  assert.equal(skipped.share(91_000), 0);
});

test("less than one percent of skipped runs is not an overload", () => {
  const load = new RunLoad(createScheduleMetrics(new Registry()));
  load.skipped.noteDue(1_000, 0);
  load.skip(run(0, 9), "overloaded", 0);
  assert.equal(load.overloadShare(0), 0);
  load.skip(run(0, 1), "overloaded", 0);
  assert.equal(load.overloadShare(0), 0.01);
});

test("a skipped run is remembered until a later one counts", () => {
  const skipped = new SkippedRuns();
  skipped.noteSkipped(run(60_000), "overloaded", 60_000);
  assert.equal(skipped.isSkipped("check", 60_000), true);
  assert.equal(skipped.isSkipped("check", 120_000), false);
  skipped.forgetBefore("check", 60_000);
  assert.equal(skipped.isSkipped("check", 60_000), true);
  skipped.forgetBefore("check", 120_000);
  assert.equal(skipped.isSkipped("check", 60_000), false);
});
