/** Each invariant must be able to fail: evidence without faults passes, and each fault is found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckFact, Evidence, RunFact, Verdict } from "./evidence.ts";
import { findViolations, invariantNames } from "./invariants.ts";

const periodMs = 10_000;
const check: CheckFact = {
  checkId: "check",
  periodMs,
  splayMs: 3_000,
  sinceMs: 0,
  locations: ["here"],
  isParallel: false,
  target: 0,
};

function run(number: number, verdict: Verdict, more: Partial<RunFact> = {}): RunFact {
  const dueAtMs = check.splayMs + number * periodMs;
  return {
    checkId: "check",
    runId: `run ${number}`,
    dueAtMs,
    location: "here",
    attempt: 1,
    isFinal: true,
    verdict,
    startedAtMs: dueAtMs + 5,
    stoppedAtMs: dueAtMs + 9,
    probe: "probe",
    trouble: verdict === "unknown" ? "no-answer" : null,
    ...more,
  };
}

const change = (from: Verdict, to: Verdict, atMs: number) => ({ checkId: "check", from, to, atMs });

/** Six runs: the target is down for the third and the fourth, and the fifth was not executed. */
const sound: Evidence = {
  checks: [check],
  span: { fromMs: 0, toMs: 60_000 },
  runs: [
    run(0, "passing"),
    run(1, "passing"),
    run(2, "failing"),
    run(3, "unknown"),
    run(5, "passing"),
  ],
  gaps: [{ checkId: "check", location: null, afterMs: 33_000, beforeMs: 53_000, dueCount: 1 }],
  changes: [
    change("unknown", "passing", 3_000),
    change("passing", "failing", 23_000),
    change("failing", "unknown", 33_000),
    change("unknown", "passing", 53_000),
  ],
  alerts: [
    { id: "a1", checkId: "check", kind: "ALERT_FAILURE", alertNumber: 1 },
    { id: "a2", checkId: "check", kind: "ALERT_RECOVERY", alertNumber: 1 },
  ],
  channelIds: [7],
  deliveries: [
    { key: "k1", alertId: "a1", channelId: 7, status: "SENT" },
    { key: "k2", alertId: "a2", channelId: 7, status: "SENT" },
  ],
  // The second is a repeat, as if the sender was killed before it received the response.
  arrivals: [
    { key: "k1", kind: "ALERT_FAILURE", checkId: "check" },
    { key: "k1", kind: "ALERT_FAILURE", checkId: "check" },
    { key: "k2", kind: "ALERT_RECOVERY", checkId: "check" },
  ],
  writes: { acknowledged: ["one"], stored: ["one", "two"] },
  targetChanges: [
    { target: 0, atMs: 20_000, isUp: false },
    { target: 0, atMs: 45_000, isUp: true },
  ],
};

const [repeat] = sound.arrivals;
const faults: Readonly<Record<string, readonly [string, Partial<Evidence>][]>> = {
  "every due run is recorded or counted as missed": [
    ["a gap that is not counted", { gaps: [] }],
    ["a missing run", { runs: sound.runs.slice(1), changes: sound.changes }],
  ],
  "a gap counts the runs that were due in it": [
    ["a wrong count", { gaps: sound.gaps.map((gap) => ({ ...gap, dueCount: 2 })) }],
  ],
  "every run is recorded once": [
    ["the same run twice", { runs: [...sound.runs, run(1, "passing", { runId: "other" })] }],
    [
      "a second final attempt",
      { runs: [...sound.runs, run(2, "failing", { attempt: 2, runId: "second" })] },
    ],
    [
      "an attempt without a final one",
      { runs: sound.runs.map((one) => (one.dueAtMs === 3_000 ? { ...one, isFinal: false } : one)) },
    ],
  ],
  "runs follow the schedule": [
    ["a run outside the schedule", { runs: [...sound.runs, run(4.25, "passing")] }],
    [
      "a run of an unknown check",
      { runs: [...sound.runs, { ...run(4, "unknown"), checkId: "other" }] },
    ],
    [
      "a run at another location",
      {
        runs: sound.runs.map((one) =>
          one.dueAtMs === 3_000 ? { ...one, location: "there" } : one,
        ),
      },
    ],
  ],
  "results match the state of the target at their own time": [
    ["failing while it was up", { targetChanges: [] }],
    [
      "the arrival time instead of the time of the run",
      {
        runs: sound.runs.map((one) =>
          one.verdict === "failing" ? { ...one, startedAtMs: 52_000, stoppedAtMs: 52_004 } : one,
        ),
      },
    ],
    [
      "a start before it was due",
      { runs: sound.runs.map((one) => ({ ...one, startedAtMs: one.dueAtMs - 251 })) },
    ],
  ],
  "states follow the runs in the order they were due": [
    ["a lost change", { changes: sound.changes.slice(0, 1), alerts: [] }],
    [
      "a change without a cause",
      { changes: [...sound.changes, change("passing", "failing", 59_000)] },
    ],
  ],
  "every change is followed by exactly the alerts that the rules require": [
    ["a lost alert", { alerts: sound.alerts.slice(1) }],
    ["a superfluous alert", { alerts: [...sound.alerts, ...sound.alerts] }],
    ["alerts out of order", { alerts: sound.alerts.toReversed() }],
  ],
  "every alert is delivered once per channel": [
    ["a lost delivery", { deliveries: sound.deliveries.slice(1) }],
    [
      "a pending delivery",
      { deliveries: sound.deliveries.map((one) => ({ ...one, status: "PENDING" as const })) },
    ],
    ["one that never arrived", { arrivals: sound.arrivals.slice(2) }],
    [
      "one that arrived under an unknown key",
      { arrivals: [...sound.arrivals, { ...(repeat ?? assert.fail()), key: "k3" }] },
    ],
    [
      "two deliveries of one alert",
      {
        deliveries: [
          ...sound.deliveries,
          { key: "k4", alertId: "a1", channelId: 7, status: "SENT" },
        ],
      },
    ],
  ],
  "the receiver sees each alert under one key, in order": [
    [
      "one alert under two keys",
      { arrivals: [...sound.arrivals, { ...(repeat ?? assert.fail()), key: "k3" }] },
    ],
    ["a recovery before its failure", { arrivals: sound.arrivals.toReversed() }],
  ],
  "no acknowledged write is lost": [
    ["a lost write", { writes: { acknowledged: ["one"], stored: ["two"] } }],
    ["a duplicate write", { writes: { acknowledged: ["one"], stored: ["one", "one"] } }],
  ],
};

test("evidence without a fault violates nothing", () => {
  assert.deepEqual(findViolations(sound), []);
});

test("there are faults for every invariant", () => {
  assert.deepEqual(Object.keys(faults), invariantNames);
});

for (const [invariant, seeded] of Object.entries(faults)) {
  for (const [fault, change] of seeded) {
    test(`${invariant}: ${fault} is found`, () => {
      const found = findViolations({ ...sound, ...change });
      assert.ok(
        found.some((violation) => violation.invariant === invariant),
        JSON.stringify(found),
      );
    });
  }
}

test("a retried run may finish after a later one, and then no longer counts", () => {
  const late = [run(0, "passing"), run(1, "failing", { isFinal: false }), run(2, "passing")];
  const retried = run(1, "failing", { attempt: 2, startedAtMs: 24_000, stoppedAtMs: 24_004 });
  const base = { ...sound, span: { fromMs: 0, toMs: 30_000 }, gaps: [] };
  const targetChanges = [
    { target: 0, atMs: 12_000, isUp: false },
    { target: 0, atMs: 22_000, isUp: true },
    { target: 0, atMs: 23_500, isUp: false },
  ];
  const calm = { alerts: [], deliveries: [], arrivals: [], changes: sound.changes.slice(0, 1) };
  const runs = [...late, retried];
  assert.deepEqual(findViolations({ ...base, ...calm, targetChanges, runs }), []);
});

test("the worst of several parallel places decides, and one without data is ignored", () => {
  const places = ["here", "there"];
  const there = (number: number, verdict: Verdict) => run(number, verdict, { location: "there" });
  const runs = [
    run(0, "passing"),
    there(0, "passing"),
    run(1, "passing"),
    there(1, "failing"),
    run(2, "passing"),
    there(2, "unknown"),
  ].map((one) => ({ ...one, trouble: one.verdict === "passing" ? null : "unreachable" }));
  const parallel: Evidence = {
    ...sound,
    checks: [{ ...check, locations: places, isParallel: true }],
    span: { fromMs: 0, toMs: 30_000 },
    runs,
    gaps: [],
    targetChanges: [],
    changes: [
      change("unknown", "passing", 3_000),
      change("passing", "failing", 13_000),
      change("failing", "passing", 23_000),
    ],
  };
  assert.deepEqual(findViolations(parallel), []);
  const lost = findViolations({ ...parallel, runs: runs.slice(0, 5) });
  assert.deepEqual(
    lost.map(({ invariant }) => invariant),
    [
      "every due run is recorded or counted as missed",
      "states follow the runs in the order they were due",
    ],
  );
});
