import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRules } from "../../../../test/support/alerting/plain-rules.ts";
import { defaultAlertSettings } from "../../../checks/checks/alert-settings.ts";
import { type Decision, decideOnRun, decideOnTime, findNextTickMs } from "../alert-decision.ts";
import { type AlertRules, findHold } from "../alert-rules.ts";
import { type AlertState, acknowledgeAlert, createAlertState } from "../alert-state.ts";
import type { FinalRun } from "../observation.ts";
import { describeMute, findEndFault, findTimedMute, nameOwned, parseTarget } from "./mute.ts";

const minute = 60_000;
const mute = (untilMs: number) => ({ untilMs, by: "Anna", reason: "" });

const rules = (more: Partial<AlertRules> = {}): AlertRules => ({
  ...plainRules,
  settings: { ...defaultAlertSettings, reminders: { amount: 0, interval: 5 } },
  ...more,
});

/** A check whose runs and ticks happen at given minutes. */
class Check {
  state: AlertState = createAlertState(0);
  readonly sent: string[] = [];

  #note(state: AlertState, decisions: readonly Decision[]): void {
    this.state = JSON.parse(JSON.stringify(state));
    for (const { kind, reason } of decisions) {
      if (kind !== "NO_ALERT") this.sent.push(`${kind} ${reason}`);
    }
  }

  run(at: number, verdict: FinalRun["verdict"], given = rules()): void {
    const run = { verdict, location: "eu", dueAtMs: at * minute, resultId: `${at}` };
    const more = { runParallel: false, locations: ["eu"] };
    const { state, decision } = decideOnRun(this.state, { ...run, ...more }, given);
    this.#note(state, [decision]);
  }

  tick(at: number, given = rules()): void {
    const { state, decisions } = decideOnTime(this.state, at * minute, given);
    this.#note(state, decisions);
  }
}

const muted = rules({ timedMute: mute(10 * minute) });

test("a failure during a mute is sent at its end, once and without a run", () => {
  const check = new Check();
  check.run(1, "failing", muted);
  check.run(2, "failing", muted);
  assert.equal(findNextTickMs(check.state, muted), 10 * minute);
  check.tick(9, muted);
  assert.deepEqual(check.sent, []);
  check.tick(10, muted);
  check.tick(11);
  check.run(12, "failing");
  assert.deepEqual(check.sent, ["ALERT_FAILURE run-threshold-reached"]);
  assert.equal(check.state.isMuteHeld, false);
  assert.equal(findNextTickMs(check.state, rules()), null);
});

test("a run after the end sends it too, and the tick adds nothing", () => {
  const check = new Check();
  check.run(1, "failing", muted);
  check.run(10, "failing");
  check.tick(10);
  assert.deepEqual(check.sent, ["ALERT_FAILURE run-threshold-reached"]);
});

test("nothing is sent about a problem that began and ended during the mute", () => {
  const check = new Check();
  check.run(1, "failing", muted);
  check.run(2, "passing", muted);
  assert.equal(findNextTickMs(check.state, muted), null);
  check.tick(10);
  assert.deepEqual(check.sent, []);
});

test("an alert sent before the mute is repeated at its end, also if it was acknowledged", () => {
  for (const isAcknowledged of [false, true]) {
    const check = new Check();
    check.run(1, "failing");
    if (isAcknowledged) {
      check.state = acknowledgeAlert(check.state, { alertNumber: 1, atMs: minute });
    }
    check.tick(2, muted);
    assert.equal(findNextTickMs(check.state, muted), 10 * minute);
    check.run(3, "failing", muted);
    check.tick(10);
    check.tick(11);
    check.run(12, "failing");
    const expected = ["ALERT_FAILURE run-threshold-reached", "ALERT_FAILURE_REMAIN mute-ended"];
    assert.deepEqual(check.sent, expected);
  }
});

test("the recovery of an alert that was sent before the mute follows at its end", () => {
  const check = new Check();
  check.run(1, "failing");
  check.tick(2, muted);
  check.run(3, "passing", muted);
  check.tick(10);
  check.tick(11);
  assert.deepEqual(check.sent, ["ALERT_FAILURE run-threshold-reached", "ALERT_RECOVERY recovered"]);
});

test("below the threshold the end of a mute sends nothing and leaves the rest to runs", () => {
  const runBasedEscalation = { failedRunThreshold: 3 };
  const strict = rules({ settings: { ...defaultAlertSettings, runBasedEscalation } });
  const check = new Check();
  check.run(1, "failing", { ...strict, timedMute: mute(10 * minute) });
  check.tick(10, strict);
  assert.equal(findNextTickMs(check.state, strict), null);
  check.run(11, "failing", strict);
  assert.deepEqual(check.sent, []);
  check.run(12, "failing", strict);
  assert.deepEqual(check.sent, ["ALERT_FAILURE run-threshold-reached"]);
});

test("a failure seen in maintenance and during a mute must be seen again", () => {
  const inWindow = { ...muted, inMaintenance: (atMs: number) => atMs < 5 * minute };
  const check = new Check();
  check.run(1, "failing", inWindow);
  check.tick(10);
  assert.deepEqual(check.sent, []);
  check.run(11, "failing");
  assert.deepEqual(check.sent, ["ALERT_FAILURE run-threshold-reached"]);
});

test("with an outdated state the end waits for a run or a later tick", () => {
  const check = new Check();
  check.run(1, "failing", muted);
  check.tick(10, rules({ isCatchingUp: true }));
  assert.deepEqual(check.sent, []);
  assert.ok((findNextTickMs(check.state, rules()) ?? 0) < 10 * minute, "it is due already");
  check.tick(11);
  assert.deepEqual(check.sent, ["ALERT_FAILURE run-threshold-reached"]);
});

test("a mute without an end that follows leaves the alert to the runs after it", () => {
  const check = new Check();
  check.run(1, "failing", muted);
  check.tick(10, rules({ muted: true }));
  assert.equal(findNextTickMs(check.state, rules({ muted: true })), null);
  check.run(11, "failing");
  assert.deepEqual(check.sent, ["ALERT_FAILURE run-threshold-reached"]);
});

test("a mute holds until its end, by the time of the decision", () => {
  assert.equal(findHold(muted, [minute, 10 * minute - 1]), "muted");
  assert.equal(findHold(muted, [minute, 10 * minute]), null);
});

test("of the mutes of a check, its group, its tags and the account, the last to end applies", () => {
  const index = new Map([
    [nameOwned("a", "check c"), mute(1)],
    [nameOwned("a", "group 7"), mute(2)],
    [nameOwned("a", "tag shop"), mute(3)],
    [nameOwned("b", "account"), mute(9)],
  ]);
  const find = (groupId: number | null, tags: string[], checkId = "c", accountId = "a") =>
    findTimedMute(index, { accountId, checkId, groupId, tags })?.untilMs ?? null;
  assert.equal(find(null, []), 1);
  assert.equal(find(7, []), 2);
  assert.equal(find(7, ["web", "shop"]), 3);
  assert.equal(find(8, ["web"], "other"), null);
  assert.equal(find(null, [], "other", "b"), 9);
});

test("a target needs the field of its type, and others are ignored", () => {
  assert.deepEqual(parseTarget({ type: "GROUP" }), { lacks: "groupId" });
  assert.deepEqual(parseTarget({ type: "TAG", tag: "shop", groupId: 7 }), {
    type: "TAG",
    checkId: null,
    groupId: null,
    tag: "shop",
  });
  assert.equal(findEndFault(5, 5) === null, false);
  assert.equal(findEndFault(6, 5), null);
  assert.match(findEndFault(400 * 86_400_000, 5) ?? "", /366 days/);
});

test("a held alert explains until when, by whom and why it was muted", () => {
  const untilMs = Date.UTC(2026, 10, 19, 9);
  const text = describeMute({ untilMs, by: "Anna", reason: "a\nnew router" });
  assert.equal(text, "until 2026-11-19 09:00 UTC by Anna: a new router");
  assert.equal(describeMute(mute(untilMs)), "until 2026-11-19 09:00 UTC by Anna");
});
