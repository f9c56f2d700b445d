import assert from "node:assert/strict";
import { test } from "node:test";
import { describeRules } from "./describe-rules.ts";

type Settings = Parameters<typeof describeRules>[0];

const settings: Settings = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
  escalationStages: [],
  urgencyRules: [],
  flapDamping: null,
  noDataMinutes: null,
  fallbackAlertChannelId: null,
};
const names = (id: number) => ({ 1: "Slack: #ops", 2: "PagerDuty" })[id] ?? "?";
const describe = (more: Partial<Settings>, policy: readonly string[] | null = null) =>
  describeRules({ ...settings, ...more }, names, policy);

test("the default rules are described without numbers", () => {
  assert.deepEqual(describe({}), [
    "As soon as a run fails after its retries, the check's channels are notified.",
    "No reminders are sent.",
    "If nobody acknowledges the alert, no other channel is notified.",
    "When the check recovers, every channel that was notified is notified again.",
    "No alert is sent when a check stops reporting.",
    "A flapping check sends an alert at every state change.",
  ]);
});

test("an escalation policy is described from its first step, instead of the stages", () => {
  const policy = ["At once: Primary.", "After 10 min without acknowledgement: Ops hook."];
  const escalationStages = [{ afterMinutes: 10, alertChannelIds: [1] }];
  assert.deepEqual(describe({ escalationStages }, policy).slice(0, 5), [
    "As soon as a run fails after its retries, the check's channels are notified.",
    ...policy,
    "No reminders are sent.",
    "When the check recovers, every channel that was notified is notified again.",
  ]);
});

test("every number appears in its sentence, and stages are sorted by time", () => {
  const sentences = describe({
    escalationType: "TIME_BASED",
    reminders: { amount: 100_000, interval: 1 },
    escalationStages: [
      { afterMinutes: 30, alertChannelIds: [1, 2] },
      { afterMinutes: 10, alertChannelIds: [2] },
      { afterMinutes: 60, alertChannelIds: [] },
    ],
    parallelRunFailureThreshold: { enabled: true, percentage: 50 },
    flapDamping: { transitions: 6, windowMinutes: 60 },
    noDataMinutes: 10,
  });
  assert.deepEqual(sentences, [
    "When a check has been failing for 5 minutes, its channels are notified.",
    "A reminder is sent every minute until the alert is acknowledged or the check recovers.",
    "If the alert is not acknowledged 10 minutes after it was first sent, PagerDuty is notified too.",
    "If the alert is not acknowledged 30 minutes after it was first sent, Slack: #ops, PagerDuty are notified too.",
    "If the alert is not acknowledged 60 minutes after it was first sent, nobody else is notified: this stage has no channel.",
    "When the check recovers, every channel that was notified is notified again.",
    "For checks that run from all locations in parallel, 50 % of the locations must fail.",
    "An alert is also sent when a check has no result 10 minutes after a run was due.",
    "After 6 state changes within 60 minutes, alerts of a check are held until it is stable.",
  ]);
});
