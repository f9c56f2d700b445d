import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRules } from "../../../../test/support/alerting/plain-rules.ts";
import { defaultAlertSettings } from "../../../checks/checks/alert-settings.ts";
import type { AlertRules } from "../alert-rules.ts";
import { createAlertState } from "../alert-state.ts";
import { decideUnnotified, type UnnotifiedFacts, unnotifiedReasons } from "./alert-summaries.ts";

const minute = 60_000;
const rules: AlertRules = {
  ...plainRules,
  settings: { ...defaultAlertSettings, runBasedEscalation: { failedRunThreshold: 3 } },
};
const state = { ...createAlertState(0), phase: "failing", failedRuns: 1 } as const;
const channel = {
  ...{ id: 7, sendFailure: true, sendRecovery: true, sendDegraded: false, sslExpiry: false },
};
const facts: UnnotifiedFacts = {
  ...{ state, rules, hold: null, hasChannels: true, connected: [channel], nowMs: 2 * minute },
};
const parentId = "0198c1f0-0000-7000-8000-000000000000";
const timed = { ...defaultAlertSettings, escalationType: "TIME_BASED" } as const;

const cases: readonly (readonly [Partial<UnnotifiedFacts>, string, string])[] = [
  [{ hold: "muted" }, "muted", "The check or its group is muted."],
  [{ hold: "muted", hasChannels: false }, "muted", "The check or its group is muted."],
  [
    { state: { ...state, heldReason: "in-maintenance" } },
    "in-maintenance",
    "A maintenance window is open.",
  ],
  [{ state: { ...state, isFlapping: true } }, "flapping", "The check changes its state too often."],
  [{ hasChannels: false, connected: [] }, "no-channels", "There is no alert channel yet."],
  [{ connected: [] }, "not-connected", "No channel is connected to this check."],
  [
    { connected: [{ ...channel, sendFailure: false }] },
    "not-wanted",
    "Its channels do not receive alerts of this kind.",
  ],
  [
    { state: { ...state, phase: "degraded" } },
    "not-wanted",
    "Its channels do not receive alerts of this kind.",
  ],
  [{}, "below-threshold", "The rules require 3 failing runs in a row; there was 1 so far."],
  [
    { rules: { ...rules, settings: timed } },
    "below-threshold",
    "The rules require 5 minutes of failing; it has been failing for 2 minutes.",
  ],
  [{ state: null }, "not-decided", "The alert rules have not been applied to the check yet."],
  [
    { state: { ...state, failedRuns: 3 } },
    "not-decided",
    "The alert rules have not been applied to the check yet.",
  ],
  [
    { state: { ...state, alertedKind: "ALERT_FAILURE", alertNumber: 1 } },
    "connected-later",
    "No channel was connected when the alert was sent.",
  ],
];

test("the reported reason is the one that must be resolved first", () => {
  for (const [change, reason, explanation] of cases) {
    const untold = decideUnnotified({ ...facts, ...change });
    assert.deepEqual([untold.reason, untold.explanation], [reason, explanation]);
    assert.ok(unnotifiedReasons.includes(untold.reason));
  }
});

test("a reason names the channel or the check that must be changed", () => {
  const unwanted = decideUnnotified({ ...facts, connected: [{ ...channel, sendFailure: false }] });
  assert.equal(unwanted.alertChannelId, 7);
  const held = { ...rules, heldByParent: parentId };
  const untold = decideUnnotified({ ...facts, rules: held, hold: "held-by-parent" });
  assert.deepEqual([untold.parentCheckId, untold.alertChannelId], [parentId, null]);
});
