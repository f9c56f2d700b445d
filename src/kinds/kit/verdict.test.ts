import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import "../../../test/support/properties.ts";
import type { Outcome } from "../../contract/result.ts";
import type { Assertion } from "./assertions/assertion.ts";
import {
  allWithinLimits,
  describeReason,
  explainVerdict,
  findFailedAssertions,
  findSlowness,
  isSharedReason,
  type Judge,
  type Judgement,
  judgeByReasons,
  judgeOutcome,
  judgeRun,
  type Reason,
  type VerdictSettings,
} from "./verdict.ts";

const settings: VerdictSettings = {
  shouldFail: false,
  degradedResponseTime: null,
  maxResponseTime: null,
};
const words = { explain: ({ name }: Reason) => `own ${name}`, words: { responseTime: "answer" } };
const measured: Outcome = { kind: "measured", measurement: {} };
const unreachable = (kind: string): Outcome => ({
  kind: "unreachable",
  trouble: { kind, code: "ECODE", message: "no way" },
});

function judge(outcome: Outcome, judgement: Judgement, change: Partial<VerdictSettings> = {}) {
  const kind: Judge<VerdictSettings, { outcome: Outcome }> = { judge: () => judgement };
  return judgeRun(kind, { ...settings, ...change }, { outcome });
}

const passing = judgeByReasons([], []);
const failing: Judgement = {
  verdict: "failing",
  isNetworkError: true,
  reasons: [{ name: "refused" }],
};
const degraded = judgeByReasons([], [{ name: "slow" }]);

test("failing takes precedence over degraded, and degraded over passing", () => {
  const [bad, flaw] = [{ name: "bad" }, { name: "flaw" }];
  const judged = (failures: Reason[], flaws: Reason[]) => {
    const { verdict, reasons, isNetworkError } = judgeByReasons(failures, flaws);
    assert.equal(isNetworkError, false);
    return [verdict, reasons.map(({ name }) => name)];
  };
  assert.deepEqual(judged([], []), ["passing", ["all-within-limits"]]);
  assert.deepEqual(judged([], [flaw]), ["degraded", ["flaw"]]);
  assert.deepEqual(judged([bad], [flaw]), ["failing", ["bad"]]);
});

test("a run that measured nothing is unknown, also if the check expects a failure", () => {
  const rows = {
    "cannot-check": "probe-cannot-check",
    overloaded: "probe-overloaded",
    "too-late": "order-came-too-late",
    interrupted: "run-interrupted",
    "no-answer": "probe-silent",
    "no-probe": "no-probe-at-location",
  } as const;
  for (const [kind, name] of Object.entries(rows)) {
    const outcome = { kind: kind as keyof typeof rows, message: "The probe stopped." };
    for (const shouldFail of [false, true]) {
      assert.deepEqual(judge(outcome, failing, { shouldFail }), {
        verdict: "unknown",
        isNetworkError: false,
        reasons: [{ name, message: "The probe stopped." }],
      });
    }
  }
});

test("the kind judges what was measured, and what could not be reached", () => {
  assert.equal(judge(measured, passing), passing);
  assert.equal(judge(unreachable("refused"), failing), failing);
});

test("a check that expects a failure swaps passing and failing, and nothing else", () => {
  const shouldFail = { shouldFail: true };
  assert.deepEqual(judge(measured, failing, shouldFail), {
    verdict: "passing",
    isNetworkError: false,
    reasons: [{ name: "refused" }, { name: "failed-as-expected" }],
  });
  assert.deepEqual(judge(measured, passing, shouldFail), {
    verdict: "failing",
    isNetworkError: false,
    reasons: [allWithinLimits, { name: "passed-against-expectation" }],
  });
  assert.equal(judge(measured, degraded, shouldFail), degraded);
});

test("a run without a measurement fails because of its trouble", () => {
  const rules = {
    names: { refused: "refused", denied: "address-denied", odd: "certificate-rejected" },
    fallback: "not-reached",
    lasting: ["certificate-rejected"],
  };
  const judged = (outcome: Outcome) => judgeOutcome(outcome, rules, () => passing);
  assert.equal(judged(measured), passing);
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["refused", "refused", true],
    ["new-in-another-version", "not-reached", true],
    // Names that every object has are not kinds of trouble.
    ["constructor", "not-reached", true],
    // A retry cannot change these.
    ["denied", "address-denied", false],
    ["odd", "certificate-rejected", false],
  ];
  for (const [kind, name, isNetworkError] of rows) {
    assert.deepEqual(judged(unreachable(kind)), {
      verdict: "failing",
      isNetworkError,
      reasons: [{ name, code: "ECODE", message: "no way" }],
    });
  }
});

test("a response time counts as slow above its limit", () => {
  const slow = (timeMs: number | null, limitMs: number | null) =>
    findSlowness("response-time-above-max", timeMs, limitMs);
  assert.deepEqual(slow(100.1, 100), [
    { name: "response-time-above-max", responseTimeMs: 100.1, limitMs: 100 },
  ]);
  assert.deepEqual(slow(100, 100), []);
  assert.deepEqual(slow(null, 100), []);
  assert.deepEqual(slow(100, null), []);
  assert.equal(slow(1, 0).length, 1);
});

test("each failed assertion is a reason with its place", () => {
  const assertion = (target: string): Assertion => ({
    ...{ source: "STATUS_CODE", property: "", comparison: "EQUALS", target, regex: null },
  });
  const failed = { passed: false, actual: 500, message: "is 500" };
  const passed = { passed: true, actual: 200, message: "" };
  const assertions = [assertion("200"), assertion("201"), assertion("202")];
  assert.deepEqual(findFailedAssertions(assertions, [passed, failed]), [
    {
      name: "assertion-failed",
      index: 1,
      assertion: assertions[1],
      actual: 500,
      message: "is 500",
    },
  ]);
  assert.deepEqual(findFailedAssertions([], [failed]), []);
});

test("reasons that every kind may have are described alike, and the others by the kind", () => {
  const rows: readonly (readonly [Reason & { readonly [field: string]: unknown }, string])[] = [
    [{ name: "all-within-limits" }, "everything was within its limits"],
    [{ name: "one-family-fails", failing: "IPv6", working: "IPv4" }, "IPv6 fails, IPv4 works"],
    [
      { name: "assertion-failed", message: "the status is 500" },
      "an assertion failed: the status is 500",
    ],
    [{ name: "failed-as-expected" }, "it failed, as this check expects"],
    [
      { name: "probe-silent", message: "No answer.\nRestart it." },
      "there was no measurement: No answer.",
    ],
    [{ name: "refused" }, "own refused"],
    [{ name: "refused", family: "IPv6" }, "over IPv6, own refused"],
  ];
  for (const [reason, text] of rows) assert.equal(describeReason(words, reason), text);
  assert.equal(isSharedReason({ name: "refused" }), false);
  assert.equal(isSharedReason({ name: "toString" }), false);
});

const slowness = (responseTimeMs: number, limitMs: number) =>
  describeReason(words, {
    ...{ name: "response-time-above-max", responseTimeMs, limitMs },
  } as Reason);

test("a response time is never rounded to the limit that it exceeds", () => {
  const rows: readonly (readonly [number, number, string])[] = [
    [250, 200, "the answer took 250 ms, above the limit of 200 ms"],
    [100.04, 100, "the answer took 100.04 ms, above the limit of 100 ms"],
    [1_500.4, 1_500, "the answer took 1.5004 s, above the limit of 1.5 s"],
    [2_000, 1_234, "the answer took 2 s, above the limit of 1.234 s"],
    [12_345, 12_000, "the answer took 12.3 s, above the limit of 12 s"],
  ];
  for (const [timeMs, limitMs, text] of rows) assert.equal(slowness(timeMs, limitMs), text);
  const times = fc.tuple(
    fc.integer({ min: 0, max: 60_000 }),
    fc.double({ min: 1e-6, max: 100, noNaN: true }),
  );
  fc.assert(
    fc.property(times, ([limitMs, excessMs]) => {
      const [, time, limit] =
        /took (.*), above the limit of (.*)$/.exec(slowness(limitMs + excessMs, limitMs)) ?? [];
      assert.notEqual(time, limit);
    }),
  );
});

test("a verdict is explained in one sentence with at most three causes", () => {
  const names = (...all: string[]) => all.map((name) => ({ name }));
  assert.equal(explainVerdict(words, names("a")), "Own a.");
  assert.equal(explainVerdict(words, names("a", "b", "c", "d")), "Own a; own b; own c.");
  const ended = { ...words, explain: () => "is it down?" };
  assert.equal(explainVerdict(ended, names("a")), "Is it down?");
});

test("if a check expects a failure, only the expectation explains the verdict", () => {
  const reasons = [{ name: "refused" }, { name: "failed-as-expected" }];
  assert.equal(explainVerdict(words, reasons), "It failed, as this check expects.");
  const passed = [allWithinLimits, { name: "passed-against-expectation" }];
  const text = "It answered, while this check expects a failure.";
  assert.equal(explainVerdict(words, passed), text);
});
