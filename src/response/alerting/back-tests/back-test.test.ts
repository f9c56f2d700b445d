import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainRules } from "../../../../test/support/alerting/plain-rules.ts";
import {
  buildRules,
  layOut,
  type Plan,
  plans,
} from "../../../../test/support/alerting/random-history.ts";
import { propertyRuns } from "../../../../test/support/properties.ts";
import { defaultAlertSettings } from "../../../checks/checks/alert-settings.ts";
import { decideOnRun, decideOnTime } from "../alert-decision.ts";
import { createAlertState, type RunVerdict } from "../alert-state.ts";
import type { FinalRun } from "../observation.ts";
import { type BackTestOptions, runBackTest } from "./back-test.ts";

const minute = 60_000;
const day: BackTestOptions = { startsAtMs: 0, endsAtMs: 1_440 * minute };

function build(at: number, verdict: RunVerdict): FinalRun {
  const run = { verdict, location: "eu", dueAtMs: at * minute, resultId: `run-${at}` };
  return { ...run, runParallel: false, locations: ["eu"] };
}

test("each alert has its time, reason, run and delay", () => {
  const settings = { ...defaultAlertSettings, runBasedEscalation: { failedRunThreshold: 2 } };
  const runs = [build(10, "failing"), build(20, "failing"), build(30, "passing")];
  const { alerts, isTruncated } = runBackTest(runs, { ...plainRules, settings }, day);
  assert.equal(isTruncated, false);
  assert.deepEqual(alerts, [
    {
      kind: "ALERT_FAILURE",
      atMs: 20 * minute,
      reason: "run-threshold-reached",
      resultId: "run-20",
      minutesToDetect: 10,
      alertNumber: 1,
      isReminder: false,
    },
    {
      kind: "ALERT_RECOVERY",
      atMs: 30 * minute,
      reason: "recovered",
      resultId: "run-30",
      minutesToDetect: null,
      alertNumber: 1,
      isReminder: false,
    },
  ]);
});

test("an alert that is due between two runs is sent at its due time", () => {
  const settings = {
    ...defaultAlertSettings,
    escalationType: "TIME_BASED" as const,
    timeBasedEscalation: { minutesFailingThreshold: 15 },
    reminders: { amount: 2, interval: 10 },
  };
  const runs = [build(60, "failing"), build(120, "passing")];
  const { alerts } = runBackTest(runs, { ...plainRules, settings }, day);
  const sent = alerts.map((alert) => [alert.kind, alert.atMs / minute, alert.minutesToDetect]);
  assert.deepEqual(sent, [
    ["ALERT_FAILURE", 75, 15],
    ["ALERT_FAILURE_REMAIN", 85, null],
    ["ALERT_FAILURE_REMAIN", 95, null],
    ["ALERT_RECOVERY", 120, null],
  ]);
});

test("a run is evaluated before a reminder that is due at the same time", () => {
  const settings = { ...defaultAlertSettings, reminders: { amount: 1, interval: 10 } };
  const runs = [build(60, "failing"), build(70, "passing")];
  const { alerts } = runBackTest(runs, { ...plainRules, settings }, day);
  assert.deepEqual(
    alerts.map(({ kind }) => kind),
    ["ALERT_FAILURE", "ALERT_RECOVERY"],
  );
});

test("time passes after the last run until the end, and not beyond", () => {
  const rules = { ...plainRules, noDataMinutes: 60 };
  const [alert, ...rest] = runBackTest([build(10, "passing")], rules, day).alerts;
  assert.deepEqual([alert?.kind, alert?.atMs, rest.length], ["ALERT_NO_DATA", 70 * minute, 0]);
  const short = { startsAtMs: 0, endsAtMs: 69 * minute };
  assert.deepEqual(runBackTest([build(10, "passing")], rules, short).alerts, []);
  assert.deepEqual(runBackTest([build(80, "failing")], plainRules, short).alerts, []);
});

test("an endless history of reminders is truncated, and marked as truncated", () => {
  const settings = { ...defaultAlertSettings, reminders: { amount: 100_000, interval: 1 } };
  const years = { startsAtMs: 0, endsAtMs: 40 * 365 * 1_440 * minute };
  const rules = { ...plainRules, settings };
  const { alerts, isTruncated } = runBackTest([build(1, "failing")], rules, years);
  assert.deepEqual([alerts.length, isTruncated], [10_000, true]);
  const few = runBackTest([build(1, "failing")], rules, { ...years, maxAlerts: 3 });
  assert.deepEqual([few.alerts.length, few.isTruncated], [3, true]);
});

test("forty years of missing data in maintenance are bounded", () => {
  const years = { startsAtMs: 0, endsAtMs: 40 * 365 * 1_440 * minute };
  const rules = { ...plainRules, noDataMinutes: 60, inMaintenance: () => true };
  const { alerts, isTruncated } = runBackTest([], rules, years);
  assert.deepEqual([alerts.length, isTruncated], [0, true]);
});

/** Replays the runs with a live clock that ticks every minute, whether anything is due or not. */
function playEachMinute(runs: readonly FinalRun[], plan: Plan, endMinute: number) {
  const sent: (string | number)[][] = [];
  let state = createAlertState(0);
  const waiting = runs.toReversed();
  for (let at = 0; at <= endMinute; at += 1) {
    const rules = buildRules(plan, at * minute);
    for (let run = waiting.at(-1); run?.decidedAtMs === at * minute; run = waiting.at(-1)) {
      waiting.pop();
      const { state: next, decision } = decideOnRun(state, run, rules);
      state = next;
      if (decision.kind !== "NO_ALERT") sent.push([decision.kind, decision.reason, at]);
    }
    const { state: next, decisions } = decideOnTime(state, at * minute, rules);
    state = next;
    for (const { kind, reason } of decisions) {
      if (kind !== "NO_ALERT") sent.push([kind, reason, at]);
    }
  }
  return sent;
}

test("it agrees with a live clock that ticks every minute", () => {
  fc.assert(
    fc.property(plans, (random) => {
      // A live clock restarts the no-data timer of a deactivated check at every tick.
      // The beginning of a mute is no time that a past state could foresee.
      const plan = { ...random, spans: { ...random.spans, off: [], timed: [] } };
      const runs = layOut(plan).flatMap((event): FinalRun[] => {
        if (event.type !== "run") return [];
        const { verdict, place: location, due: dueAtMs, at: decidedAtMs, id: resultId } = event;
        const { parallel: runParallel, places: locations } = plan;
        return [{ verdict, location, dueAtMs, decidedAtMs, resultId, runParallel, locations }];
      });
      const endMinute = 10 * 1_440;
      const { alerts } = runBackTest(runs, buildRules(plan, 0), {
        startsAtMs: 0,
        endsAtMs: endMinute * minute,
        circumstancesAt: (atMs) => buildRules(plan, atMs),
        maxAlerts: 100_000,
      });
      assert.deepEqual(
        alerts.map(({ kind, reason, atMs }) => [kind, reason, atMs / minute]),
        playEachMinute(runs, plan, endMinute),
      );
    }),
    { numRuns: propertyRuns / 2 },
  );
});
