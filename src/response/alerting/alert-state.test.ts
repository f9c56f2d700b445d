import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRules } from "../../../test/support/alerting/plain-rules.ts";
import { defaultAlertSettings } from "../../checks/checks/alert-settings.ts";
import type { WeekHours } from "../../platform/week-hours.ts";
import { type Decision, decideOnRun, decideOnTime, findNextTickMs } from "./alert-decision.ts";
import { type AlertRules, minuteMs } from "./alert-rules.ts";
import {
  type AlertState,
  acknowledgeAlert,
  createAlertState,
  findNextEscalationMs,
  findNextSteps,
  hurryNextStage,
  isMuteOver,
  isSnoozeOver,
  noteMute,
  postponeNextStage,
  type RunVerdict,
  reopenAlert,
  restartEscalation,
  snoozeAlert,
} from "./alert-state.ts";

/** A Saturday. Support hours begin on Monday. */
const startMs = Date.parse("2026-11-21T22:00:00Z");
const mondayMs = Date.parse("2026-11-23T09:00:00Z");
const inMinutes = (minutes: number) => startMs + minutes * minuteMs;
const supportHours: WeekHours = {
  timeZone: "UTC",
  ranges: [{ days: ["MON", "TUE", "WED", "THU", "FRI"], from: "09:00", to: "17:00" }],
};

const stage = (afterMinutes: number, ...channelIds: readonly number[]) => ({
  afterMinutes,
  channelIds,
});

const rules: AlertRules = {
  ...plainRules,
  escalationStages: [stage(0, 1), stage(10, 2), stage(30, 3)],
};
const lowUrgency: AlertRules = { ...rules, urgency: "LOW", supportHours };

function observe(state: AlertState, verdict: RunVerdict, atMs: number, by = rules) {
  const places = { location: "eu", locations: ["eu"], runParallel: false };
  const run = { ...places, verdict, dueAtMs: atMs, decidedAtMs: atMs, resultId: `run-${atMs}` };
  return decideOnRun(state, run, by);
}

const fail = (by = rules) => observe(createAlertState(startMs), "failing", startMs, by).state;

/** Ticks every minute, and lists what is sent: the stage of an escalation, or the reason. */
function tick(state: AlertState, untilMs: number, by = rules) {
  let current = state;
  const sent: string[] = [];
  for (let nowMs = startMs; nowMs <= untilMs; nowMs += minuteMs) {
    const next = findNextTickMs(current, by);
    if (next === null || next > nowMs) continue;
    const { state: after, decisions } = decideOnTime(current, nowMs, by);
    current = after;
    sent.push(...decisions.map((one) => `${(nowMs - startMs) / minuteMs} ${nameOf(one)}`));
  }
  return { state: current, sent };
}

const nameOf = (decision: Decision) =>
  decision.kind !== "NO_ALERT" && decision.onlyChannelIds !== null
    ? `stage ${decision.escalationStage}`
    : decision.reason;

test("only the open alert is acknowledged, once", () => {
  const state = fail();
  const acknowledged = acknowledgeAlert(state, { alertNumber: 1, atMs: 5, by: "Ada" });
  assert.deepEqual([acknowledged.acknowledgedAtMs, acknowledged.acknowledgedBy], [5, "Ada"]);
  for (const alertNumber of [0, 2]) {
    assert.equal(acknowledgeAlert(state, { alertNumber, atMs: 5 }), state);
  }
  assert.equal(acknowledgeAlert(acknowledged, { alertNumber: 1, atMs: 9 }), acknowledged);
  const calm = createAlertState(startMs);
  assert.equal(acknowledgeAlert(calm, { alertNumber: 0, atMs: 5 }), calm);
});

const snoozed = (by = rules) =>
  snoozeAlert(fail(by), { atMs: startMs, untilMs: inMinutes(60), by: "Ada" });

test("a snooze ends at its time, unless the problem has ended before", () => {
  const state = snoozed();
  assert.equal(isSnoozeOver(state, inMinutes(60) - 1), false);
  assert.ok(isSnoozeOver(state, inMinutes(60)));
  assert.equal(isSnoozeOver(fail(), inMinutes(60)), false);
  const recovered = observe(state, "passing", inMinutes(5)).state;
  assert.equal(isSnoozeOver(recovered, inMinutes(60)), false);
});

test("acknowledging a snoozed alert makes it last", () => {
  const state = acknowledgeAlert(snoozed(), { alertNumber: 1, atMs: inMinutes(5), by: "Ben" });
  assert.deepEqual([state.snoozedUntilMs, state.acknowledgedBy], [null, "Ben"]);
  assert.deepEqual(tick(state, inMinutes(300)).sent, []);
});

test("a snoozed alert is sent again at the end, and escalates from the first step", () => {
  assert.deepEqual(tick(fail(), inMinutes(60)).sent, ["10 stage 2", "30 stage 3"]);
  assert.deepEqual(tick(snoozed(), inMinutes(120)).sent, [
    ...["60 snooze-ended", "70 stage 2", "90 stage 3"],
  ]);
});

test("an alert of low urgency waits for the support hours, also after a snooze", () => {
  const waiting = fail(lowUrgency);
  assert.equal(waiting.escalationStage, 0);
  assert.equal(findNextEscalationMs(waiting, lowUrgency), mondayMs);
  const { state, sent } = tick(snoozed(lowUrgency), inMinutes(120), lowUrgency);
  assert.deepEqual(sent, ["60 snooze-ended"]);
  assert.equal(findNextEscalationMs(state, lowUrgency), mondayMs);
});

test("an urgent alert does not wait, and escalates at once after a snooze", () => {
  const urgent: AlertRules = { ...lowUrgency, urgency: "HIGH" };
  const state = restartEscalation(reopenAlert(snoozed(urgent)), {
    nowMs: inMinutes(60),
    rules: urgent,
  });
  assert.equal(state.escalationStage, 1);
  assert.equal(findNextEscalationMs(state, urgent), inMinutes(70));
});

test("escalating now sends the next step now, whatever it waits for", () => {
  const hurried = hurryNextStage(fail(), "Escalated by Ada.");
  assert.deepEqual(tick(hurried, inMinutes(35)).sent, ["0 stage 2", "30 stage 3"]);
  const acknowledged = acknowledgeAlert(fail(), { alertNumber: 1, atMs: startMs });
  assert.deepEqual(tick(hurryNextStage(acknowledged, "x"), startMs).sent, ["0 stage 2"]);
  // An alert of low urgency on a Saturday: only the step that was asked for.
  const waiting = hurryNextStage(fail(lowUrgency), "x");
  const { state, sent } = tick(waiting, inMinutes(120), lowUrgency);
  assert.deepEqual(sent, ["0 stage 1"]);
  assert.equal(findNextEscalationMs(state, lowUrgency), mondayMs + 10 * minuteMs);
});

test("a step that follows a failed page waits for the support hours", () => {
  const hurry = { alertNumber: 1, stage: 1, reason: "The page failed." };
  const failed: AlertState = { ...fail(lowUrgency), hurry };
  assert.equal(findNextEscalationMs(failed, lowUrgency), mondayMs);
  assert.deepEqual(tick({ ...fail(), hurry: { ...hurry, stage: 2 } }, startMs).sent, ["0 stage 2"]);
});

test("steps that were sent early are not sent again when the alert becomes urgent", () => {
  const byKind: AlertRules = { ...rules, supportHours };
  const degraded = observe(createAlertState(startMs), "degraded", startMs, byKind).state;
  let state = degraded;
  for (let step = 0; step < 2; step += 1) {
    state = tick(hurryNextStage(state, "x"), startMs, byKind).state;
  }
  assert.equal(state.escalationStage, 2);
  const failing = observe(state, "failing", inMinutes(1), byKind).state;
  assert.deepEqual(tick(failing, inMinutes(60), byKind).sent, ["31 stage 3"]);
});

test("a step that was hurried belongs to its alert, and not to a later one", () => {
  const hurried = hurryNextStage(fail(), "x");
  const { state } = observe(hurried, "passing", inMinutes(1));
  const next = observe(state, "failing", inMinutes(2)).state;
  assert.equal(next.alertNumber, 2);
  assert.equal(findNextEscalationMs(next, rules), inMinutes(12));
});

test("after a reassignment, later steps follow after their own minutes from then on", () => {
  const { state } = tick(fail(), inMinutes(15));
  const postponed = postponeNextStage(state, { nowMs: inMinutes(20), rules });
  // The third step is 20 minutes after the second.
  assert.equal(findNextEscalationMs(postponed, rules), inMinutes(40));
  const acknowledged = acknowledgeAlert(state, { alertNumber: 1, atMs: inMinutes(16) });
  const reopened = postponeNextStage(acknowledged, { nowMs: inMinutes(20), rules });
  assert.deepEqual([reopened.acknowledgedAtMs, reopened.acknowledgedBy], [null, null]);
});

test("a reassignment does not start the steps of an alert that waits for support hours", () => {
  const postponed = postponeNextStage(fail(lowUrgency), {
    nowMs: inMinutes(5),
    rules: lowUrgency,
  });
  assert.equal(findNextEscalationMs(postponed, lowUrgency), mondayMs);
  assert.deepEqual(tick(postponed, inMinutes(60), lowUrgency).sent, []);
});

test("the next steps of an alert are its reminder and its next stage", () => {
  const reminding: AlertRules = {
    ...rules,
    settings: { ...defaultAlertSettings, reminders: { amount: 2, interval: 5 } },
  };
  assert.deepEqual(findNextSteps(fail(reminding), reminding), {
    reminderAtMs: inMinutes(5),
    escalation: { atMs: inMinutes(10), stage: 2 },
  });
  const acknowledged = acknowledgeAlert(fail(reminding), { alertNumber: 1, atMs: startMs });
  const none = { reminderAtMs: null, escalation: null };
  assert.deepEqual(findNextSteps(acknowledged, reminding), none);
  assert.deepEqual(findNextSteps(createAlertState(startMs), reminding), none);
});

test("the end of a timed mute is decided on only if the mute covered a problem", () => {
  const muted: AlertRules = {
    ...rules,
    timedMute: { untilMs: inMinutes(30), by: "Ada", reason: "" },
  };
  const held = noteMute(fail(), startMs, muted);
  assert.equal(held.isMuteHeld, true);
  assert.equal(isMuteOver(held, inMinutes(29), muted), false);
  assert.ok(isMuteOver(held, inMinutes(30), muted));
  const calm = createAlertState(startMs);
  assert.equal(noteMute(calm, startMs, muted), calm);
  // A mute without an end, or a deactivation, leaves the decision to the next run.
  const endless = { ...rules, muted: true };
  assert.equal(noteMute(held, inMinutes(31), endless).isMuteHeld, false);
  assert.equal(noteMute(held, inMinutes(31), { ...rules, activated: false }).isMuteHeld, false);
});
