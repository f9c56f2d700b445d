import assert from "node:assert/strict";
import { test } from "node:test";
import { askPlanner } from "../../../test/planner/ask-planner.ts";
import { sampleNow } from "../../../test/planner/sample-account/checks.ts";
import { sampleVocabulary, understandAll } from "../../../test/planner/understanding.ts";
import { Answer } from "../answer.ts";
import type { TimeWindow } from "../reading/time-window.ts";
import type { Figures, ResultBrief } from "../tools/tool-data.ts";
import { writeReason } from "./checks/status-wording.ts";
import { choosePair, judge } from "./figures/compare.ts";
import { exampleQuestions } from "./small-talk.ts";

test("the examples of help are understood", () => {
  const { text: help } = askPlanner(["help"]);
  for (const question of exampleQuestions) {
    assert.ok(help.includes(`- ${question}`));
    const { text, calls } = askPlanner([question]);
    assert.ok(calls.length > 0, question);
    assert.doesNotMatch(text, /I cannot|I know no|I could not use|Which/, question);
  }
});

function figures(availability: number, p95: number): Figures {
  return {
    runs: { passing: 1, degraded: 0, failing: 0, unknown: 0 },
    availabilityPercent: availability,
    latencyMs: { avg: p95, p50: p95, p95, p99: p95, max: p95 },
  };
}

test("a comparison ignores noise", () => {
  const verdicts: readonly (readonly [Figures, Figures, string])[] = [
    [figures(100, 50), figures(100, 52), "about as before"],
    [figures(100, 50), figures(100, 80), "slower than before"],
    [figures(100, 80), figures(100, 50), "faster than before"],
    [figures(100, 50), figures(99, 80), "less available than before"],
    [figures(99, 50), figures(100, 50), "more available than before"],
    [figures(100, 0.4), figures(100, 0.8), "about as before"],
  ];
  for (const [before, now, wanted] of verdicts) {
    const change = {
      availabilityPercent: (now.availabilityPercent ?? 0) - (before.availabilityPercent ?? 0),
      latencyAvgMs: (now.latencyMs.avg ?? 0) - (before.latencyMs.avg ?? 0),
      latencyP95Ms: (now.latencyMs.p95 ?? 0) - (before.latencyMs.p95 ?? 0),
    };
    assert.equal(
      judge({ checkId: "id", checkType: "ICMP", name: "name", now, before, change }),
      wanted,
    );
  }
});

function choosePairOf(question: string, window?: TimeWindow) {
  const [intent] = understandAll([question]);
  assert.ok(intent);
  return choosePair({
    intent: window === undefined ? intent : { ...intent, window, second: null },
    nowMs: sampleNow.getTime(),
    answer: new Answer(),
    vocabulary: sampleVocabulary,
    lastAnswer: "",
    requests: [],
    findBodyFault: () => null,
    showsBodies: false,
  });
}

test("the earlier of two times is the baseline", () => {
  const labels = (question: string) => {
    const { now, before } = choosePairOf(question);
    return `${now.label} / ${before.label}`;
  };
  assert.equal(labels("compare last week with this week"), "this week / last week");
  assert.equal(labels("compare this month with last"), "this month / last month");
  assert.equal(labels("compare today"), "today / yesterday");
  assert.equal(labels("compare core-db"), "the last 24 hours / as long before that");
  assert.equal(labels("is core-db worse than yesterday"), "the last 24 hours / yesterday");
});

test("the month before this month is a whole month in every time zone", () => {
  const monthBefore = (from: string) => {
    const fromMs = Date.parse(from);
    const window = { fromMs, toMs: fromMs + 86_400_000, label: "this month" };
    return new Date(
      choosePairOf("how is availability with the latest", window).before.fromMs,
    ).toISOString();
  };
  assert.equal(monthBefore("2026-03-01T00:00:00.000Z"), "2026-02-01T00:00:00.000Z");
  assert.equal(monthBefore("2026-02-28T22:00:00.000Z"), "2026-01-31T22:00:00.000Z");
  assert.equal(monthBefore("2026-03-01T05:00:00.000Z"), "2026-02-01T05:00:00.000Z");
});

test("an unexpected success is described as such", () => {
  const reasons = [
    { name: "all-within-limits", text: "everything was within its limits" },
    { name: "passed-against-expectation", text: "it answered, while this check expects a failure" },
  ];
  const said = (some: typeof reasons) => writeReason({ reasons: some } as unknown as ResultBrief);
  assert.equal(said(reasons), "it answered, while this check expects a failure");
  assert.equal(said(reasons.slice(0, 1)), "everything was within its limits");
});
