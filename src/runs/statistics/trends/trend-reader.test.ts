import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckSummary } from "../analytics/actions.ts";
import type { CoarseSums } from "../overviews/overview-store.ts";
import { chooseCandidates, findTrends, isWorse } from "./trend-reader.ts";

const sums = (checkId: string, more: Partial<CoarseSums> = {}): CoarseSums => ({
  checkId,
  name: checkId,
  kind: "ICMP",
  runs: 1_000,
  badRuns: 0,
  sampleCount: 1_000,
  sampleSumMs: 10_000,
  counters: [10_000, 10_000],
  ...more,
});

test("a figure is worse if it rose significantly in both relative and absolute terms", () => {
  assert.equal(isWorse("latency", 180, 240), true);
  assert.equal(isWorse("latency", 180, 200), false);
  assert.equal(isWorse("latency", 1, 4), false);
  assert.equal(isWorse("loss", 0, 1.2), true);
  assert.equal(isWorse("loss", 40, 42), false);
  assert.equal(isWorse("failures", 0.5, 0.9), false);
});

test("candidates are those that rose most, with enough runs in both periods", () => {
  const earlier = ["slow", "lossy", "failing", "calm", "new", "rare"].map((id) => sums(id));
  const recent = [
    sums("slow", { sampleSumMs: 20_000 }),
    sums("lossy", { counters: [10_000, 9_500] }),
    sums("failing", { badRuns: 20 }),
    sums("calm"),
    sums("rare", { runs: 49, sampleSumMs: 90_000 }),
    sums("unknown-before", { sampleSumMs: 90_000 }),
  ];
  const chosen = chooseCandidates(earlier, recent, 10).map(({ checkId }) => checkId);
  assert.deepEqual(chosen, ["lossy", "failing", "slow"]);
  assert.equal(chooseCandidates(earlier, recent, 1).length, 1);
});

function summary(p95: number, runs: Partial<CheckSummary["runs"]> = {}): CheckSummary {
  return {
    checkId: "a",
    runs: { unknown: 0, passing: 1_000, degraded: 0, failing: 0, ...runs },
    availability: 1,
    latencyMs: { avg: p95, min: p95, max: p95, p50: p95, p90: p95, p95, p99: p95 },
    parts: {},
    averages: {},
  };
}

test("trends contain exact figures, and none with too few runs", () => {
  const check = { checkId: "a", name: "checkout", kind: "ICMP" };
  assert.deepEqual(findTrends(check, summary(180), summary(240)), [
    { type: "latency", checkId: "a", name: "checkout", earlier: 180, recent: 240, runs: 1_000 },
  ]);
  assert.deepEqual(findTrends(check, summary(180), summary(240, { passing: 49 })), []);
  assert.deepEqual(findTrends(check, summary(180, { passing: 199 }), summary(240)), []);
  const failing = findTrends(check, summary(180), summary(180, { passing: 950, failing: 50 }));
  assert.deepEqual(
    failing.map(({ type, earlier, recent }) => [type, earlier, recent]),
    [["failures", 0, 5]],
  );
});
