import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRules } from "../../../test/support/alerting/plain-rules.ts";
import type { AlertKind } from "../../channels/alert-channels/alert-text.ts";
import type { AlertSettings as StoredSettings } from "../../checks/checks/alert-settings.ts";
import { defaultAlertSettings } from "../../checks/checks/alert-settings.ts";
import type { Verdict } from "../../kinds/kit/verdict.ts";
import { type Decision, decideOnRun, decideOnTime, findNextTickMs } from "./alert-decision.ts";
import type { AlertRules, AlertSettings } from "./alert-rules.ts";
import {
  type AlertState,
  acknowledgeAlert,
  createAlertState,
  type DecidedKind,
  type RunVerdict,
  restartSilence,
} from "./alert-state.ts";

const minute = 60_000;

// Fails to compile if these types diverge from those of the other modules.
const kindFits = (kind: DecidedKind): AlertKind => kind;
const settingsFit = (settings: StoredSettings): AlertSettings => settings;
const verdictFits = (verdict: Verdict): RunVerdict => verdict;
void [kindFits, settingsFit, verdictFits];

function withSettings(settings: Partial<AlertSettings>, rest: Partial<AlertRules> = {}) {
  return { ...plainRules, ...rest, settings: { ...defaultAlertSettings, ...settings } };
}
const afterRuns = (failedRunThreshold: number) =>
  withSettings({ runBasedEscalation: { failedRunThreshold } });
const afterMinutes = (minutesFailingThreshold: number) =>
  withSettings({
    escalationType: "TIME_BASED",
    timeBasedEscalation: { minutesFailingThreshold },
  });
const reminding = (amount: number, interval: number) =>
  withSettings({ reminders: { amount, interval } });

const letters: Readonly<Record<string, RunVerdict>> = {
  p: "passing",
  d: "degraded",
  f: "failing",
  u: "unknown",
};

/** A check with a controllable clock: one run per minute, or a tick where the script has one. */
class Check {
  state: AlertState = createAlertState(0);
  nowMs = 0;

  run(script: string, rules: AlertRules): Decision[] {
    return [...script].map((letter) => {
      this.nowMs += minute;
      const verdict = letters[letter] ?? "unknown";
      const dueAtMs = this.nowMs;
      const run = { verdict, location: "eu", dueAtMs, resultId: `run-${dueAtMs / minute}` };
      const sent = decideOnRun(
        this.state,
        { ...run, runParallel: false, locations: ["eu"] },
        rules,
      );
      this.state = sent.state;
      return sent.decision;
    });
  }

  tick(minutes: number, rules: AlertRules): readonly Decision[] {
    this.nowMs += minutes * minute;
    const { state, decisions } = decideOnTime(this.state, this.nowMs, rules);
    this.state = state;
    return decisions;
  }
}

function summarize(decisions: readonly Decision[]): string[] {
  return decisions.map(({ kind, reason }) => (kind === "NO_ALERT" ? reason : kind));
}

function play(script: string, rules: AlertRules): string[] {
  return summarize(new Check().run(script, rules));
}

const transitions: readonly [string, string][] = [
  ["pp", "no-change"],
  ["pd", "ALERT_DEGRADED"],
  ["pf", "ALERT_FAILURE"],
  ["dd", "already-alerted"],
  ["dp", "ALERT_DEGRADED_RECOVERY"],
  ["df", "ALERT_DEGRADED_FAILURE"],
  ["ff", "already-alerted"],
  ["fd", "ALERT_FAILURE_DEGRADED"],
  ["fp", "ALERT_RECOVERY"],
];
for (const [script, sent] of transitions) {
  test(`the table of transitions: ${script[0]} to ${script[1]} is ${sent}`, () => {
    assert.equal(play(script, plainRules).at(-1), sent);
  });
}

test("a first run that fails sends an alert like any other", () => {
  const [decision] = new Check().run("f", plainRules);
  assert.deepEqual(decision, {
    kind: "ALERT_FAILURE",
    reason: "run-threshold-reached",
    atMs: minute,
    startedAtMs: minute,
    troubleStartedAtMs: null,
    resultId: "run-1",
    alertNumber: 1,
    isReminder: false,
    reminderSequence: 0,
    isFlapping: false,
    escalationStage: 0,
    onlyChannelIds: null,
  });
});

test("a threshold of runs counts runs in a row, and a pass starts it again", () => {
  const below = "below-run-threshold";
  const sent = play("ffpfff", afterRuns(3));
  assert.deepEqual(sent, [below, below, "no-change", below, below, "ALERT_FAILURE"]);
});

test("a run without a verdict neither counts nor resets the runs in a row", () => {
  const sent = play("fuf", afterRuns(2));
  assert.deepEqual(sent, ["below-run-threshold", "no-data-counts-nothing", "ALERT_FAILURE"]);
  assert.deepEqual(play("fu", plainRules), ["ALERT_FAILURE", "no-data-counts-nothing"]);
});

test("below the threshold there is neither an alert nor a recovery", () => {
  assert.deepEqual(play("fp", afterRuns(2)), ["below-run-threshold", "no-change"]);
  assert.deepEqual(play("dp", afterRuns(2)), ["below-run-threshold", "no-change"]);
});

test("there is no threshold between degraded and failing, in either direction", () => {
  assert.deepEqual(play("df", afterRuns(5)).at(-1), "ALERT_DEGRADED_FAILURE");
  assert.deepEqual(play("fd", afterRuns(5)).at(-1), "ALERT_FAILURE_DEGRADED");
  assert.deepEqual(play("df", afterMinutes(30)).at(-1), "ALERT_DEGRADED_FAILURE");
  assert.deepEqual(play("fdp", afterRuns(5)).at(-1), "ALERT_DEGRADED_RECOVERY");
});

test("a threshold of minutes is reached by a run or by a tick, whichever is first", () => {
  const byRun = new Check();
  assert.deepEqual(summarize(byRun.run("ffffff", afterMinutes(5))), [
    ...Array(5).fill("below-time-threshold"),
    "ALERT_FAILURE",
  ]);
  const byTick = new Check();
  byTick.run("f", afterMinutes(5));
  assert.equal(findNextTickMs(byTick.state, afterMinutes(5)), 6 * minute);
  assert.deepEqual(byTick.tick(4.999, afterMinutes(5)), []);
  const [decision] = byTick.tick(0.001, afterMinutes(5));
  assert.deepEqual([decision?.kind, decision?.reason], ["ALERT_FAILURE", "time-threshold-reached"]);
  assert.deepEqual(byTick.tick(60, afterMinutes(5)), []);
});

test("reminders are sent at their interval, numbered, and limited to their amount", () => {
  const check = new Check();
  check.run("f", reminding(2, 5));
  assert.deepEqual(check.tick(4, reminding(2, 5)), []);
  const [first] = check.tick(1, reminding(2, 5));
  assert.ok(first?.kind === "ALERT_FAILURE_REMAIN");
  assert.deepEqual([first.isReminder, first.reminderSequence, first.alertNumber], [true, 1, 1]);
  assert.deepEqual(summarize(check.tick(5, reminding(2, 5))), ["ALERT_FAILURE_REMAIN"]);
  assert.deepEqual(check.tick(50, reminding(2, 5)), []);
  assert.equal(findNextTickMs(check.state, reminding(2, 5)), null);
});

test("unlimited reminders do not end, and a pause is followed by one reminder only", () => {
  const check = new Check();
  check.run("d", reminding(100_000, 30));
  for (let count = 1; count < 200; count += 1) {
    assert.deepEqual(summarize(check.tick(30, reminding(100_000, 30))), ["ALERT_DEGRADED_REMAIN"]);
  }
  assert.equal(check.tick(10_000, reminding(100_000, 30)).length, 1);
});

test("a clock that is set back sends nothing early and nothing twice", () => {
  const check = new Check();
  check.run("f", reminding(5, 5));
  check.tick(5, reminding(5, 5));
  assert.deepEqual(check.tick(-60, reminding(5, 5)), []);
  assert.deepEqual(check.tick(60, reminding(5, 5)), []);
  assert.deepEqual(summarize(check.tick(5, reminding(5, 5))), ["ALERT_FAILURE_REMAIN"]);
});

test("each stage alerts its own channels once, by the time since the alert", () => {
  const rules = {
    ...plainRules,
    escalationStages: [
      { afterMinutes: 30, channelIds: [3] },
      { afterMinutes: 10, channelIds: [1, 2] },
    ],
  };
  const check = new Check();
  check.run("f", rules);
  const [first] = check.tick(10, rules);
  assert.ok(first !== undefined && first.kind !== "NO_ALERT");
  assert.deepEqual([first.kind, first.reason], ["ALERT_FAILURE", "escalation-stage-due"]);
  assert.deepEqual([first.onlyChannelIds, first.escalationStage], [[1, 2], 1]);
  assert.deepEqual(check.tick(19, rules), []);
  assert.equal(check.tick(1, rules).length, 1);
  assert.deepEqual(check.tick(999, rules), []);
  const [recovery] = check.run("p", rules);
  assert.ok(recovery?.kind === "ALERT_RECOVERY");
  assert.equal(recovery.escalationStage, 2, "the recovery goes to all reached stages");
});

test("an acknowledgement stops reminders and stages until the recovery, but no new alert", () => {
  const rules = { ...reminding(5, 5), escalationStages: [{ afterMinutes: 10, channelIds: [1] }] };
  const check = new Check();
  check.run("d", rules);
  check.state = acknowledgeAlert(check.state, { alertNumber: 1, atMs: check.nowMs });
  assert.deepEqual(check.tick(60, rules), []);
  assert.deepEqual(summarize(check.run("f", rules)), ["ALERT_DEGRADED_FAILURE"]);
  assert.deepEqual(check.tick(60, rules), []);
  assert.deepEqual(summarize(check.run("pf", rules)), ["ALERT_RECOVERY", "ALERT_FAILURE"]);
  assert.equal(check.tick(10, rules).length, 2);
});

test("a link in an old message does not acknowledge a newer alert", () => {
  const check = new Check();
  check.run("fpf", plainRules);
  const old = acknowledgeAlert(check.state, { alertNumber: 1, atMs: 0 });
  assert.equal(old, check.state);
  const twice = { alertNumber: 2, atMs: 7 };
  const acknowledged = acknowledgeAlert(check.state, twice);
  assert.equal(acknowledged.acknowledgedAtMs, 7);
  assert.equal(acknowledgeAlert(acknowledged, { ...twice, atMs: 9 }), acknowledged);
});

const held: readonly [string, Partial<AlertRules>][] = [
  ["muted", { muted: true }],
  ["deactivated", { activated: false }],
  ["in-maintenance", { inMaintenance: () => true }],
  ["held-by-parent", { heldByParent: "the-router" }],
];
for (const [reason, rest] of held) {
  test(`an alert is held while ${reason} and sent afterwards if it still applies`, () => {
    const check = new Check();
    const [decision] = check.run("f", { ...plainRules, ...rest });
    assert.deepEqual([decision?.kind, decision?.reason], ["NO_ALERT", reason]);
    assert.ok(decision?.kind === "NO_ALERT");
    assert.equal(decision.heldKind, "ALERT_FAILURE");
    assert.equal(decision.parentId, rest.heldByParent ?? null);
    assert.deepEqual(summarize(check.run("f", plainRules)), ["ALERT_FAILURE"]);
    const other = new Check();
    other.run("f", { ...plainRules, ...rest });
    assert.deepEqual(summarize(other.run("p", plainRules)), ["no-change"]);
  });
}

test("a recovery is sent in maintenance and under a failing parent, but not while muted", () => {
  for (const [reason, rest] of held) {
    const check = new Check();
    check.run("f", plainRules);
    const isNotified = reason === "in-maintenance" || reason === "held-by-parent";
    const during = isNotified ? "ALERT_RECOVERY" : reason;
    assert.deepEqual(summarize(check.run("p", { ...plainRules, ...rest })), [during]);
    const after = isNotified ? "no-change" : "ALERT_RECOVERY";
    const { state } = check;
    assert.deepEqual(summarize(check.run("p", plainRules)), [after]);
    check.state = state;
    const byTime = isNotified ? [] : ["ALERT_RECOVERY"];
    assert.deepEqual(summarize(check.tick(1, plainRules)), byTime, "no further run is needed");
  }
});

test("a run that was due in maintenance and became final after it is held", () => {
  const inMaintenance = (atMs: number) => atMs < 10 * minute;
  const run = { verdict: "failing", location: "eu", resultId: "a", locations: ["eu"] } as const;
  const times = { dueAtMs: 9 * minute, decidedAtMs: 12 * minute, runParallel: false };
  const rules = { ...plainRules, inMaintenance };
  const { decision } = decideOnRun(createAlertState(0), { ...run, ...times }, rules);
  assert.equal(decision.reason, "in-maintenance");
});

test("a tick sends no alert for a failure that was only seen in maintenance", () => {
  const rules = afterMinutes(5);
  const check = new Check();
  check.run("f", { ...rules, inMaintenance: () => true });
  assert.deepEqual(summarize(check.tick(30, rules)), ["in-maintenance"]);
  assert.deepEqual(summarize(check.run("f", rules)), ["ALERT_FAILURE"]);
});

test("held reminders and stages are sent once afterwards", () => {
  const rules = { ...reminding(5, 5), escalationStages: [{ afterMinutes: 10, channelIds: [1] }] };
  const check = new Check();
  check.run("f", rules);
  assert.deepEqual(summarize(check.tick(20, { ...rules, muted: true })), ["muted"]);
  assert.deepEqual(summarize(check.tick(1, rules)), ["ALERT_FAILURE_REMAIN", "ALERT_FAILURE"]);
});

test("results of a probe that cannot reach its own anchors send no alert and no recovery", () => {
  const suspect = { ...plainRules, probeIsSuspect: true, noDataMinutes: 5 };
  const check = new Check();
  assert.deepEqual(summarize(check.run("ff", suspect)), ["probe-suspect", "probe-suspect"]);
  assert.deepEqual(summarize(check.tick(10, suspect)), ["probe-suspect"]);
  const other = new Check();
  other.run("f", plainRules);
  assert.deepEqual(summarize(other.run("p", suspect)), ["probe-suspect"]);
  assert.deepEqual(summarize(other.run("p", plainRules)), ["ALERT_RECOVERY"]);
});

test("missing data sends an alert, and the next result ends it", () => {
  const rules = { ...plainRules, noDataMinutes: 10 };
  const check = new Check();
  check.run("pu", rules);
  assert.deepEqual(check.tick(8, rules), []);
  const [decision] = check.tick(1, rules);
  assert.ok(decision?.kind === "ALERT_NO_DATA");
  assert.equal(decision.startedAtMs, minute, "it began when the last run was due");
  assert.deepEqual(check.tick(500, rules), []);
  assert.deepEqual(summarize(check.run("up", rules)), ["no-data-counts-nothing", "ALERT_RECOVERY"]);
});

test("a check that never ran has no data since its creation", () => {
  const rules = { ...plainRules, noDataMinutes: 10 };
  assert.deepEqual(summarize(new Check().tick(10, rules)), ["ALERT_NO_DATA"]);
});

test("a failure after missing data is a new failure", () => {
  const rules = { ...afterRuns(2), noDataMinutes: 10 };
  const check = new Check();
  check.run("ff", rules);
  assert.deepEqual(summarize(check.tick(10, rules)), ["ALERT_NO_DATA"]);
  assert.deepEqual(summarize(check.run("ffp", rules)), [
    "below-run-threshold",
    "ALERT_FAILURE",
    "ALERT_RECOVERY",
  ]);
});

test("a deactivated check has no missing data, and activation restarts the timer", () => {
  const rules = { ...plainRules, noDataMinutes: 10 };
  const check = new Check();
  check.run("p", rules);
  assert.deepEqual(check.tick(60, { ...rules, activated: false }), []);
  assert.deepEqual(check.tick(9, rules), []);
  const other = new Check();
  other.nowMs = 900 * minute;
  other.state = restartSilence(other.state, other.nowMs);
  assert.deepEqual(other.tick(9, rules), []);
  assert.deepEqual(summarize(other.tick(1, rules)), ["ALERT_NO_DATA"]);
});

test("a state survives serialization", () => {
  const check = new Check();
  check.run("pfdf", { ...plainRules, flapDamping: { transitions: 2, windowMinutes: 30 } });
  assert.deepEqual(JSON.parse(JSON.stringify(check.state)), check.state);
});
