import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRules } from "../../../test/support/alerting/plain-rules.ts";
import { defaultAlertSettings } from "../../checks/checks/alert-settings.ts";
import { type Decision, decideOnRun, decideOnTime } from "./alert-decision.ts";
import type { AlertRules } from "./alert-rules.ts";
import { type AlertState, createAlertState } from "./alert-state.ts";

const minute = 60_000;
const rules: AlertRules = {
  ...plainRules,
  settings: { ...defaultAlertSettings, reminders: { amount: 100_000, interval: 5 } },
  flapDamping: { transitions: 3, windowMinutes: 60 },
};

/** Replays runs at the given minutes; a negative minute is a failing run. */
function play(minutes: readonly number[], start = createAlertState(0)) {
  let state: AlertState = start;
  const decisions: Decision[] = [];
  for (const at of minutes) {
    const dueAtMs = Math.abs(at) * minute;
    const verdict = at < 0 ? ("failing" as const) : ("passing" as const);
    const run = { verdict, location: "eu", dueAtMs, resultId: `${at}`, locations: ["eu"] };
    const sent = decideOnRun(state, { ...run, runParallel: false }, rules);
    state = sent.state;
    decisions.push(sent.decision);
  }
  return { state, reasons: decisions.map(({ reason }) => reason), decisions };
}

test("after too many changes one alert reports flapping, and further alerts are held", () => {
  const { reasons, decisions } = play([-1, 2, -3, 4, -5, 6, -7]);
  const reached = "run-threshold-reached";
  assert.deepEqual(reasons.slice(0, 4), [reached, "recovered", reached, "flapping-began"]);
  // The fourth alert was a recovery, so recipients assume that the check passes.
  assert.deepEqual(reasons.slice(4), ["flapping", "no-change", "flapping"]);
  const [said] = decisions.slice(3);
  assert.ok(said?.kind === "ALERT_RECOVERY");
  assert.equal(said.isFlapping, true);
});

test("after a stable window, an alert that still applies is sent", () => {
  const { reasons } = play([-1, 2, -3, 4, -5, -64, -65]);
  assert.deepEqual(reasons.slice(4), ["flapping", "flapping", "run-threshold-reached"]);
});

test("a recovery that was held by flapping is sent after a stable window", () => {
  const { reasons } = play([-1, 2, -3, 70, -71, 72, -73, 74, 133, 134]);
  assert.deepEqual(reasons.slice(6), ["flapping-began", "flapping", "flapping", "recovered"]);
});

test("a recovery that was held by flapping needs no further run", () => {
  const { state } = play([-1, 2, -3, 70, -71, 72, -73, 74]);
  assert.equal(decideOnTime(state, 133 * minute, rules).decisions[0]?.reason, "flapping");
  assert.equal(decideOnTime(state, 134 * minute, rules).decisions[0]?.kind, "ALERT_RECOVERY");
});

test("a stable window ends damping even if no alert was due", () => {
  const { reasons } = play([-1, 2, -3, 4, 500, -501, 502]);
  assert.deepEqual(reasons.slice(3), [
    "flapping-began",
    "no-change",
    "run-threshold-reached",
    "recovered",
  ]);
  const silent = play([-1, 2, -3, 4, -501]);
  assert.equal(silent.reasons.at(-1), "run-threshold-reached");
});

test("changes further apart than the window are not flapping", () => {
  const { reasons } = play([-1, 61, -121, 181, -241, 301]);
  assert.ok(reasons.every((reason) => !reason.startsWith("flapping")));
});

test("there are no reminders while a check flaps", () => {
  const { state } = play([-1, 2, -3, 70, -71, 72, -73]);
  const [decision] = decideOnTime(state, 90 * minute, rules).decisions;
  assert.equal(decision?.reason, "flapping");
  const [later] = decideOnTime(state, 133 * minute, rules).decisions;
  assert.equal(later?.kind, "ALERT_FAILURE_REMAIN");
});

test("only as many changes are stored as the rules need", () => {
  const wild = Array.from({ length: 500 }, (_, index) => (index % 2 === 0 ? -1 : 1) * (index + 1));
  assert.ok(play(wild).state.toldAtMs.length <= 3);
});

test("the changes before damping are discarded with it", () => {
  const tight = { ...rules, flapDamping: { transitions: 1, windowMinutes: 5 } };
  // The second run is final a minute after its due time, so its alert is sent after its phase
  // began.
  const times = [
    ["failing", 1, 1],
    ["passing", 2, 3],
    ["failing", 7, 7],
  ] as const;
  let state = createAlertState(0);
  const reasons = times.map(([verdict, due, decided]) => {
    const run = { verdict, location: "eu", resultId: `${due}`, locations: ["eu"] };
    const moments = { dueAtMs: due * minute, decidedAtMs: decided * minute, runParallel: false };
    const sent = decideOnRun(state, { ...run, ...moments }, tight);
    state = sent.state;
    return sent.decision.reason;
  });
  const reached = "run-threshold-reached";
  assert.deepEqual(reasons, [reached, "flapping-began", reached]);
});
