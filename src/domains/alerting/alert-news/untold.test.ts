import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultAlertSettings } from "../../checks/alert-settings.ts";
import type { AlertRules } from "../alert-rules.ts";
import { createAlertState } from "../alert-state.ts";
import { decideUntold, type UntoldFacts, untoldReasons } from "./untold.ts";

const minute = 60_000;
const rules: AlertRules = {
  settings: { ...defaultAlertSettings, runBasedEscalation: { failedRunThreshold: 3 } },
  muted: false,
  activated: true,
  inMaintenance: () => false,
  heldByParent: null,
  probeIsSuspect: false,
  escalationStages: [],
  flapDamping: null,
  noDataMinutes: null,
};
const state = { ...createAlertState(0), phase: "failing", failedRuns: 1 } as const;
const channel = {
  ...{ id: 7, sendFailure: true, sendRecovery: true, sendDegraded: false, sslExpiry: false },
};
const facts: UntoldFacts = {
  ...{ state, rules, hold: null, hasChannels: true, connected: [channel], nowMs: 2 * minute },
};
const parentId = "0198c1f0-0000-7000-8000-000000000000";
const timed = { ...defaultAlertSettings, escalationType: "TIME_BASED" } as const;

const cases: readonly (readonly [Partial<UntoldFacts>, string, string])[] = [
  [{ hold: "muted" }, "muted", "The check or its group is muted."],
  [{ hold: "muted", hasChannels: false }, "muted", "The check or its group is muted."],
  [
    { state: { ...state, heldReason: "in-maintenance" } },
    "in-maintenance",
    "A maintenance window is open.",
  ],
  [{ state: { ...state, isFlapping: true } }, "flapping", "It changes its state too often."],
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
  [{}, "below-threshold", "The rules ask for 3 failing runs in a row; there was 1 so far."],
  [
    { rules: { ...rules, settings: timed } },
    "below-threshold",
    "The rules ask for 5 minutes of failing; it has been so for 2 minutes.",
  ],
  [{ state: null }, "not-decided", "The alert rules have not been applied to it yet."],
  [
    { state: { ...state, failedRuns: 3 } },
    "not-decided",
    "The alert rules have not been applied to it yet.",
  ],
  [
    { state: { ...state, alertedKind: "ALERT_FAILURE", alertNumber: 1 } },
    "connected-later",
    "No channel was connected when the alert was sent.",
  ],
];

test("the reason why nobody was notified is the one to remove first", () => {
  for (const [change, reason, explanation] of cases) {
    const untold = decideUntold({ ...facts, ...change });
    assert.deepEqual([untold.reason, untold.explanation], [reason, explanation]);
    assert.ok(untoldReasons.includes(untold.reason));
  }
});

test("a reason names the channel or the check that is to be changed", () => {
  const unwanted = decideUntold({ ...facts, connected: [{ ...channel, sendFailure: false }] });
  assert.equal(unwanted.alertChannelId, 7);
  const held = { ...rules, heldByParent: parentId };
  const untold = decideUntold({ ...facts, rules: held, hold: "held-by-parent" });
  assert.deepEqual([untold.parentCheckId, untold.alertChannelId], [parentId, null]);
});
