import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { createScheduleMetrics } from "../context.ts";
import { maxOpenRuns, RunLoad, RunWindow, SkippedRuns } from "./run-load.ts";

/** Deadline of a run with a maximum duration of 11.5 s. */
const deadlineMs = 19_500;

interface Fault {
  /** Runs per second that the prober and the recorder finish. */
  readonly probedPerSecond: number;
  readonly recordedPerSecond: number;
  readonly runMs: number;
}

/** Orders the due runs within the limit every second; prober and recorder are queues. */
function simulate(
  window: RunWindow,
  findFault: (nowMs: number) => Fault,
  load: { perSecond: number; seconds: number },
  countFromMs = 0,
) {
  const stepMs = 100;
  const waiting: { runId: string; readyAtMs: number; startedAtMs: number }[] = [];
  const results: { runId: string; startedAtMs: number; stoppedAtMs: number }[] = [];
  let [probed, recorded, made, longestMs] = [0, 0, 0, 0];
  const endMs = load.seconds * 1_000;
  for (let nowMs = 0; nowMs < endMs; nowMs += stepMs) {
    const fault = findFault(nowMs);
    const due = (load.perSecond * stepMs) / 1_000;
    const capacityNow = window.capacity(nowMs);
    if (capacityNow < due) window.noteWaiting();
    for (let count = 0; count < Math.min(due, capacityNow); count += 1) {
      const runId = `${nowMs} ${count}`;
      window.open({ runId, startAtMs: nowMs, deadlineAtMs: nowMs + deadlineMs });
      waiting.push({ runId, startedAtMs: nowMs, readyAtMs: nowMs + fault.runMs });
    }
    probed = Math.min(probed + (fault.probedPerSecond * stepMs) / 1_000, fault.probedPerSecond);
    while (probed >= 1 && (waiting[0]?.readyAtMs ?? Infinity) <= nowMs) {
      const { runId, startedAtMs } = waiting.shift() ?? { runId: "", startedAtMs: 0 };
      results.push({ runId, startedAtMs, stoppedAtMs: nowMs });
      probed -= 1;
    }
    recorded = Math.min(recorded + (fault.recordedPerSecond * stepMs) / 1_000, 500);
    while (recorded >= 1) {
      const result = results.shift();
      if (result === undefined) break;
      window.close({ ...result, isRejected: false }, nowMs);
      if (nowMs >= countFromMs) made += 1;
      recorded -= 1;
      if (nowMs > endMs / 2) {
        longestMs = Math.max(longestMs, nowMs - result.startedAtMs);
      }
    }
  }
  return { perSecond: (made * 1_000) / (endMs - countFromMs), longestMs };
}

test("without delays nothing is limited, whatever the number of due runs", () => {
  const window = new RunWindow();
  const fault = { probedPerSecond: 1_000, recordedPerSecond: 1_000, runMs: 4_500 };
  simulate(window, () => fault, { perSecond: 500, seconds: 60 });
  assert.equal(window.limit, maxOpenRuns);
});

test("unresponsive targets are not an overload", () => {
  const window = new RunWindow();
  const fault = { probedPerSecond: 1_000, recordedPerSecond: 1_000, runMs: 11_500 };
  simulate(window, () => fault, { perSecond: 500, seconds: 60 });
  assert.equal(window.limit, maxOpenRuns);
});

for (const factor of [1.5, 3, 10]) {
  test(`a slow recorder at ${factor} times its load stays busy, and results do not pile up`, () => {
    const fault = { probedPerSecond: 10_000, recordedPerSecond: 200, runMs: 4_500 };
    const load = { perSecond: 200 * factor, seconds: 240 };
    const { perSecond, longestMs } = simulate(new RunWindow(), () => fault, load);
    assert.ok(perSecond > 0.9 * 200, `${perSecond} a second`);
    assert.ok(longestMs < deadlineMs, `${longestMs} ms`);
  });
  test(`a slow prober at ${factor} times its load stays busy, and keeps deadlines`, () => {
    const fault = { probedPerSecond: 100, recordedPerSecond: 10_000, runMs: 1_000 };
    const load = { perSecond: 100 * factor, seconds: 480 };
    const { perSecond, longestMs } = simulate(new RunWindow(), () => fault, load);
    assert.ok(perSecond > 0.9 * 100, `${perSecond} a second`);
    assert.ok(longestMs < deadlineMs, `${longestMs} ms`);
  });
}

for (const slow of ["probedPerSecond", "recordedPerSecond"] as const) {
  test(`once ${slow} is high again, the limit recovers within three rounds`, () => {
    const window = new RunWindow();
    const fast = { probedPerSecond: 10_000, recordedPerSecond: 10_000, runMs: 4_500 };
    let limit = 0;
    const findFault = (nowMs: number) => {
      if (nowMs < 240_000) limit = window.limit;
      return nowMs < 240_000 ? { ...fast, [slow]: 50 } : fast;
    };
    const { perSecond } = simulate(window, findFault, { perSecond: 300, seconds: 280 }, 265_000);
    assert.ok(limit < 300 * 4.5, `${limit} are too few for the load`);
    assert.ok(perSecond > 0.99 * 300, `${perSecond} a second`);
  });
}

test("a temporary stall changes nothing", () => {
  const window = new RunWindow();
  for (let run = 0; run < 1_000; run += 1) {
    window.open({ runId: `${run}`, startAtMs: 0, deadlineAtMs: deadlineMs });
  }
  for (let run = 0; run < 1_000; run += 1) {
    const times = { startedAtMs: 0, stoppedAtMs: 4_500, isRejected: false };
    window.close({ runId: `${run}`, ...times }, 8_000 + run);
  }
  assert.equal(window.limit, maxOpenRuns);
});

test("a run whose result never arrives is not counted forever", () => {
  const window = new RunWindow();
  window.open({ runId: "lost", startAtMs: 0, deadlineAtMs: deadlineMs });
  assert.equal(window.capacity(0), maxOpenRuns - 1);
  assert.equal(window.capacity(deadlineMs + 60_000), maxOpenRuns);
});

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
