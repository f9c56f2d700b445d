import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Measured, noDataKinds, type Outcome } from "../../../contract/result.ts";
import type { Assertion } from "../../kit/assertions/assertion.ts";
import { isSharedReason, type Judgement, judgeRun } from "../../kit/verdict.ts";
import { icmp } from "./index.ts";
import type { IcmpMeasurement, IcmpTrouble } from "./measurement.ts";
import type { IcmpRequest, IcmpSettings } from "./request.ts";

const request: IcmpRequest = { hostname: "example.org", ipFamily: "IPv4", pingCount: 10 };

/** The settings that affect the verdict, and the assertions. */
type Rules = Omit<IcmpSettings, "request"> & { readonly assertions: readonly Assertion[] };

const usual: Rules = {
  degradedPacketLossThreshold: 10,
  maxPacketLossThreshold: 20,
  degradedResponseTime: null,
  maxResponseTime: null,
  assertions: [],
  shouldFail: false,
};
const noSuchName: IcmpTrouble = {
  kind: "unresolved",
  code: "ENOTFOUND",
  message: "no such name",
  resolvedIp: null,
  dnsMs: 5,
};
const noRoute: IcmpTrouble = { ...noSuchName, kind: "unsendable", code: "ENETUNREACH" };
const unresolved: Outcome<IcmpMeasurement> = { kind: "unreachable", trouble: noSuchName };
const unsendable: Outcome<IcmpMeasurement> = { kind: "unreachable", trouble: noRoute };

function measure(packetLossPercent: number, avgMs: number | null = 12): Measured<IcmpMeasurement> {
  const measurement = {
    resolvedIp: "192.0.2.1",
    dnsMs: 0,
    packetSizeBytes: 64,
    packets: [],
    statistics: {
      packetsSent: 10,
      packetsReceived: 10,
      packetLossPercent,
      minMs: avgMs,
      avgMs,
      maxMs: avgMs,
      stdDevMs: avgMs === null ? null : 0,
      jitterMs: null,
      longestLossBurst: 0,
      duplicates: 0,
      reordered: 0,
      lateReplies: 0,
    },
  };
  return { kind: "measured", measurement };
}

function judge(outcome: Outcome<IcmpMeasurement>, changed: Partial<Rules> = {}): Judgement {
  const { assertions, ...rules } = { ...usual, ...changed };
  const settings = { ...rules, request: { ...request, assertions } };
  return judgeRun(icmp, settings, { request, startedAtMs: 0, outcome });
}

function namesOf(judgement: Judgement): string[] {
  return judgement.reasons.map((reason) => reason.name);
}

test("loss below both thresholds passes, and reaching them degrades or fails", () => {
  const cases: [number, string, string][] = [
    [0, "passing", "all-within-limits"],
    [9.99, "passing", "all-within-limits"],
    [10, "degraded", "packet-loss-at-or-above-degraded"],
    [19.99, "degraded", "packet-loss-at-or-above-degraded"],
    [20, "failing", "packet-loss-at-or-above-max"],
    [100, "failing", "packet-loss-at-or-above-max"],
  ];
  for (const [lossPercent, verdict, reason] of cases) {
    const judgement = judge(measure(lossPercent));
    assert.deepEqual([judgement.verdict, namesOf(judgement)], [verdict, [reason]]);
    assert.equal(judgement.isNetworkError, verdict === "failing");
  }
});

test("a reason contains the figure and the limit", () => {
  assert.deepEqual(judge(measure(30)).reasons, [
    { name: "packet-loss-at-or-above-max", lossPercent: 30, limitPercent: 20 },
  ]);
});

test("an unresolved name and unsendable packets are network failures", () => {
  assert.deepEqual(judge(unresolved), {
    verdict: "failing",
    isNetworkError: true,
    reasons: [{ name: "name-not-resolved", code: "ENOTFOUND", message: "no such name" }],
  });
  assert.deepEqual(namesOf(judge(unsendable)), ["packets-not-sendable"]);
  const allowing = { maxPacketLossThreshold: 100, degradedPacketLossThreshold: 100 };
  assert.equal(judge(unsendable, allowing).verdict, "failing");
});

test("with a max threshold of 0 every run fails without a network error", () => {
  const judgement = judge(measure(0), { maxPacketLossThreshold: 0 });
  assert.deepEqual([judgement.verdict, judgement.isNetworkError], ["failing", false]);
});

test("with both thresholds at 100 only total loss fails", () => {
  const rules = { maxPacketLossThreshold: 100, degradedPacketLossThreshold: 100 };
  assert.equal(judge(measure(99.9), rules).verdict, "passing");
  assert.equal(judge(measure(100, null), rules).verdict, "failing");
});

test("failing takes precedence if the degraded threshold is above the max", () => {
  const rules = { maxPacketLossThreshold: 20, degradedPacketLossThreshold: 50 };
  assert.equal(judge(measure(20), rules).verdict, "failing");
  assert.equal(judge(measure(60), rules).verdict, "failing");
  assert.equal(judge(measure(19), rules).verdict, "passing");
});

test("the response time matters only above a configured limit", () => {
  assert.equal(judge(measure(0, 1e6)).verdict, "passing");
  const rules = { degradedResponseTime: 100, maxResponseTime: 200 };
  assert.equal(judge(measure(0, 100), rules).verdict, "passing");
  const slow = judge(measure(0, 101), rules);
  assert.deepEqual([slow.verdict, namesOf(slow)], ["degraded", ["response-time-above-degraded"]]);
  const slower = judge(measure(0, 201), rules);
  assert.deepEqual([slower.verdict, slower.isNetworkError], ["failing", false]);
  assert.deepEqual(slower.reasons, [
    { name: "response-time-above-max", responseTimeMs: 201, limitMs: 200 },
  ]);
});

test("a failed assertion fails the run and is identified", () => {
  const assertions: readonly Assertion[] = [
    { source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "100" },
    { source: "JSON_RESPONSE", property: "$.hostname", comparison: "EQUALS", target: "other" },
  ];
  const judgement = judge(measure(0), { assertions });
  assert.deepEqual([judgement.verdict, judgement.isNetworkError], ["failing", false]);
  const [reason] = judgement.reasons;
  assert.ok(reason && isSharedReason(reason) && reason.name === "assertion-failed");
  assert.deepEqual([reason.index, reason.actual], [1, "example.org"]);
  assert.match(reason.message, /^JSON response \$\.hostname is "example.org", expected "other"$/);
});

test("a failed assertion takes precedence over degraded, and loss remains a network error", () => {
  const assertions: readonly Assertion[] = [
    { source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "1" },
  ];
  assert.equal(judge(measure(15), { assertions }).verdict, "failing");
  assert.equal(judge(measure(15), { assertions }).isNetworkError, false);
  const both = judge(measure(50), { assertions });
  assert.deepEqual(namesOf(both), ["packet-loss-at-or-above-max", "assertion-failed"]);
  assert.equal(both.isNetworkError, true);
});

test("shouldFail swaps passing and failing and leaves degraded", () => {
  const shouldFail = true;
  const passed = judge(measure(0), { shouldFail });
  assert.deepEqual([passed.verdict, passed.isNetworkError], ["failing", false]);
  assert.deepEqual(namesOf(passed), ["all-within-limits", "passed-against-expectation"]);
  const failed = judge(unresolved, { shouldFail });
  assert.deepEqual([failed.verdict, failed.isNetworkError], ["passing", false]);
  assert.deepEqual(namesOf(failed), ["name-not-resolved", "failed-as-expected"]);
  assert.equal(judge(measure(15), { shouldFail }).verdict, "degraded");
});

test("without a measurement the verdict is unknown, even with shouldFail", () => {
  const names = noDataKinds.flatMap((kind) => {
    const outcome = { kind, message: "trouble" };
    assert.deepEqual(
      judge(outcome),
      judge(outcome, { shouldFail: true, maxPacketLossThreshold: 0 }),
    );
    assert.deepEqual([judge(outcome).verdict, judge(outcome).isNetworkError], ["unknown", false]);
    return namesOf(judge(outcome));
  });
  assert.deepEqual(names, [
    "probe-cannot-check",
    "probe-overloaded",
    "order-came-too-late",
    "run-interrupted",
    "probe-silent",
    "no-probe-at-location",
  ]);
});

const percents = fc.oneof(fc.constantFrom(0, 100), fc.integer({ min: 0, max: 100 }));
const limits = fc.option(fc.integer({ min: 0, max: 300 }), { nil: null });
const rules: fc.Arbitrary<Rules> = fc.record({
  degradedPacketLossThreshold: percents,
  maxPacketLossThreshold: percents,
  degradedResponseTime: limits,
  maxResponseTime: limits,
  assertions: fc.constant([]),
  shouldFail: fc.constant(false),
});
const averages = fc.option(fc.double({ min: 0, max: 400, noNaN: true }), { nil: null });

test("the verdict follows the thresholds in any order", () => {
  fc.assert(
    fc.property(rules, percents, averages, (given, lossPercent, avgMs) => {
      const isAbove = (limitMs: number | null) =>
        limitMs !== null && avgMs !== null && avgMs > limitMs;
      const fails = lossPercent >= given.maxPacketLossThreshold || isAbove(given.maxResponseTime);
      const degrades =
        lossPercent >= given.degradedPacketLossThreshold || isAbove(given.degradedResponseTime);
      const expected = fails ? "failing" : degrades ? "degraded" : "passing";
      const judgement = judge(measure(lossPercent, avgMs), given);
      assert.equal(judgement.verdict, expected);
      assert.ok(judgement.reasons.length > 0);
    }),
  );
});

test("swapping twice restores the verdict", () => {
  const swap = { passing: "failing", failing: "passing", degraded: "degraded", unknown: "unknown" };
  fc.assert(
    fc.property(rules, percents, averages, (given, lossPercent, avgMs) => {
      const plain = judge(measure(lossPercent, avgMs), given);
      const swapped = judge(measure(lossPercent, avgMs), { ...given, shouldFail: true });
      assert.equal(swapped.verdict, swap[plain.verdict]);
    }),
  );
});

test("more loss never makes a verdict better", () => {
  const order = ["passing", "degraded", "failing"];
  fc.assert(
    fc.property(rules, percents, percents, (given, one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      const better = order.indexOf(judge(measure(less), given).verdict);
      assert.ok(better <= order.indexOf(judge(measure(more), given).verdict));
    }),
  );
});
