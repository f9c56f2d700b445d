import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../../kinds/kit/verdict.ts";
import type { FinalResult } from "../results/result-store.ts";
import type { CheckState } from "../states/state.ts";
import { findNotableRun, type Notice } from "./follow-up-store.ts";

const minuteMs = 60_000;
const lastRunAtMs = 1_000 * minuteMs;
const notice: Notice = {
  isShareCounted: false,
  frequencyMinutes: 1,
  nowMs: lastRunAtMs + minuteMs,
};

function was(status: Verdict): CheckState {
  return {
    status,
    sinceMs: 0,
    changedAtMs: 0,
    beforeUnknown: null,
    lastResultId: "before",
    lastRunLocation: "home",
    lastRunAtMs,
    consecutiveFailures: 0,
    locations: {},
  };
}

function run(verdict: Verdict): FinalResult {
  return { resultId: "now", location: "home", verdict, dueAtMs: notice.nowMs };
}

const verdicts: readonly Verdict[] = ["passing", "degraded", "failing", "unknown"];

test("only a passing run after a passing run, or as the first, is not notable", () => {
  for (const before of [null, ...verdicts]) {
    for (const verdict of verdicts) {
      const previous = before === null ? null : was(before);
      const isLeftOut = verdict === "passing" && (before === null || before === "passing");
      const notable = findNotableRun(previous, run(verdict), notice);
      assert.equal(notable === null, isLeftOut, `${verdict} after ${before}`);
    }
  }
});

test("it has the time of the last run with a verdict", () => {
  const lastResultAt = (previous: CheckState | null) =>
    findNotableRun(previous, run("failing"), notice)?.lastResultAtMs;
  assert.equal(lastResultAt(was("passing")), lastRunAtMs);
  assert.equal(lastResultAt(was("failing")), lastRunAtMs);
  assert.equal(lastResultAt(was("unknown")), null);
  assert.equal(lastResultAt(null), null);
});

test("if a share of the locations decides, every run is notable", () => {
  const counted = { ...notice, isShareCounted: true };
  assert.notEqual(findNotableRun(was("passing"), run("passing"), counted), null);
  assert.notEqual(findNotableRun(null, run("passing"), counted), null);
});

test("a run that may end missing data is notable", () => {
  const after = (minutes: number, frequencyMinutes: number) => {
    const nowMs = lastRunAtMs + minutes * minuteMs;
    return findNotableRun(was("passing"), run("passing"), { ...notice, frequencyMinutes, nowMs });
  };
  assert.equal(after(2.9, 1), null);
  assert.notEqual(after(3, 1), null);
  assert.equal(after(61, 60), null);
  assert.notEqual(after(62, 60), null);
});
