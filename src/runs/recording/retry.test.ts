import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  chooseRetryLocation,
  decideRetry,
  type FinishedAttempt,
  isRetryLate,
  maxRetryWaitMs,
  type RetryStrategy,
  type RetryType,
  retryTypes,
} from "./retry.ts";

const fixed: RetryStrategy = {
  type: "FIXED",
  baseBackoffSeconds: 5,
  maxRetries: 3,
  maxDurationSeconds: 600,
  sameRegion: true,
  onlyOn: [],
};
const failed: FinishedAttempt = {
  strategy: fixed,
  attempt: 1,
  verdict: "failing",
  isNetworkError: true,
  firstStartedAtMs: 1_000_000,
  nowMs: 1_000_000,
};
const strategies: fc.Arbitrary<RetryStrategy> = fc.record({
  type: fc.constantFrom(...retryTypes),
  baseBackoffSeconds: fc.integer({ min: 0, max: 100_000 }),
  maxRetries: fc.integer({ min: 1, max: 10 }),
  maxDurationSeconds: fc.integer({ min: 0, max: 600 }),
  sameRegion: fc.boolean(),
  onlyOn: fc.constantFrom<readonly "NETWORK_ERROR"[]>([], ["NETWORK_ERROR"]),
});

function waitsOf(type: RetryType): number[] {
  return [1, 2, 3].map((attempt) => {
    const decision = decideRetry({ ...failed, strategy: { ...fixed, type }, attempt });
    return decision.kind === "retry" ? decision.afterMs : Number.NaN;
  });
}

test("delays are fixed, linear or exponential", () => {
  assert.deepEqual(waitsOf("FIXED"), [5_000, 5_000, 5_000]);
  assert.deepEqual(waitsOf("LINEAR"), [5_000, 10_000, 15_000]);
  assert.deepEqual(waitsOf("EXPONENTIAL"), [5_000, 25_000, 125_000]);
});

test("a single retry ignores the other settings of the strategy", () => {
  const strategy = {
    ...fixed,
    type: "SINGLE_RETRY",
    maxRetries: 9,
    maxDurationSeconds: 0,
  } as const;
  assert.deepEqual(decideRetry({ ...failed, strategy }), { kind: "retry", afterMs: 5_000 });
  assert.deepEqual(decideRetry({ ...failed, strategy, attempt: 2 }), {
    kind: "final",
    reason: "retries-used-up",
  });
});

test("only a failing run is retried", () => {
  for (const verdict of ["passing", "degraded", "unknown"] as const) {
    const decision = decideRetry({ ...failed, verdict });
    assert.deepEqual(decision, { kind: "final", reason: "not-failing" });
  }
});

test("without a strategy the first attempt is the last", () => {
  const decision = decideRetry({ ...failed, strategy: null });
  assert.deepEqual(decision, { kind: "final", reason: "no-strategy" });
});

test("a strategy for network errors does not retry failed assertions", () => {
  const strategy: RetryStrategy = { ...fixed, onlyOn: ["NETWORK_ERROR"] };
  assert.equal(decideRetry({ ...failed, strategy }).kind, "retry");
  assert.deepEqual(decideRetry({ ...failed, strategy, isNetworkError: false }), {
    kind: "final",
    reason: "not-a-network-error",
  });
});

test("a retry that would start after the maximum duration is not created", () => {
  const strategy = { ...fixed, maxDurationSeconds: 20 };
  const at = (elapsedMs: number) =>
    decideRetry({ ...failed, strategy, nowMs: failed.firstStartedAtMs + elapsedMs });
  assert.equal(at(15_000).kind, "retry");
  assert.deepEqual(at(15_001), { kind: "final", reason: "duration-used-up" });
});

test("a clock set back does not lengthen the duration", () => {
  const strategy = { ...fixed, baseBackoffSeconds: 30, maxDurationSeconds: 20 };
  assert.equal(decideRetry({ ...failed, strategy, nowMs: 0 }).kind, "final");
});

test("every delay is bounded, and every chain of retries ends", () => {
  fc.assert(
    fc.property(strategies, fc.nat({ max: 30_000 }), (strategy, runMs) => {
      let nowMs = failed.firstStartedAtMs;
      let attempt = 1;
      while (true) {
        nowMs += runMs;
        const decision = decideRetry({ ...failed, strategy, attempt, nowMs });
        if (decision.kind === "final") break;
        assert.ok(decision.afterMs >= 0 && decision.afterMs <= maxRetryWaitMs);
        nowMs += decision.afterMs;
        if (strategy.type !== "SINGLE_RETRY") {
          assert.ok(nowMs - failed.firstStartedAtMs <= strategy.maxDurationSeconds * 1_000);
        }
        attempt += 1;
      }
      assert.ok(attempt <= (strategy.type === "SINGLE_RETRY" ? 2 : strategy.maxRetries + 1));
    }),
  );
});

const places = fc.record({
  sameRegion: fc.boolean(),
  runParallel: fc.boolean(),
  locations: fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 8 }),
  location: fc.string({ minLength: 1 }),
  attempt: fc.integer({ min: 1, max: 10 }),
  runId: fc.uuid(),
});

test("a retry runs at the same location or at another location of the check", () => {
  fc.assert(
    fc.property(places, (place) => {
      const chosen = chooseRetryLocation(place);
      assert.equal(chosen, chooseRetryLocation({ ...place }));
      const others = place.locations.filter((other) => other !== place.location);
      const stays = place.sameRegion || place.runParallel || others.length === 0;
      if (stays) assert.equal(chosen, place.location);
      else assert.ok(others.includes(chosen));
    }),
  );
});

test("retries elsewhere reach every other location over time", () => {
  const locations = ["a", "b", "c", "d"];
  const seen = new Set<string>();
  for (let run = 0; run < 64; run += 1) {
    const runId = `018bcfe5-6800-7d86-8c65-71c8377a6f${run.toString(16).padStart(2, "0")}`;
    const place = { sameRegion: false, runParallel: false, locations, location: "a" };
    seen.add(chooseRetryLocation({ ...place, attempt: 1, runId }));
  }
  assert.deepEqual([...seen].toSorted(), ["b", "c", "d"]);
});

test("a retry is late long after its planned time or once the next run is due", () => {
  const cases: readonly [planned: number, started: number, nextDue: number, isLate: boolean][] = [
    [5_000, 5_000, 10_000, false],
    [5_000, 4_000, 10_000, false],
    [5_000, 9_999, 10_000, false],
    [5_000, 10_000, 10_000, true],
    // A short delay after both is the usual time from order to probe.
    [9_900, 11_900, 10_000, false],
    [9_900, 11_901, 10_000, true],
    [5_000, 15_000, 60_000, false],
    [5_000, 15_001, 60_000, true],
    // Planned beyond the next run by the strategy.
    [65_000, 75_000, 10_000, false],
    [65_000, 75_001, 10_000, true],
    // A server was stopped for 30 seconds between an attempt and its retry.
    [5_000, 35_000, 10_000, true],
  ];
  for (const [plannedAtMs, startedAtMs, nextDueMs, isLate] of cases) {
    const retry = { plannedAtMs, startedAtMs, nextDueMs };
    assert.equal(isRetryLate(retry), isLate, JSON.stringify(retry));
  }
});
