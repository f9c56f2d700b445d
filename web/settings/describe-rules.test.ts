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
  flapDamping: null,
  noDataMinutes: null,
};
const names = (id: number) => ({ 1: "Slack: #ops", 2: "PagerDuty" })[id] ?? "?";
const say = (more: Partial<Settings>) => describeRules({ ...settings, ...more }, names);

test("the plainest rules are told without figures", () => {
  assert.deepEqual(say({}), [
    "As soon as a run fails after its retries, the check's channels are told.",
    "They are not reminded.",
    "If nobody acknowledges it, nobody else is told.",
    "When the check recovers, everybody who was told hears of it.",
    "A check that stops reporting alerts nobody.",
    "A check that keeps changing alerts at every change.",
  ]);
});

test("every figure is in its sentence, and stages stand in the order of time", () => {
  const said = say({
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
  assert.deepEqual(said, [
    "When a check has been failing for 5 minutes, its channels are told.",
    "They are reminded every minute until somebody acknowledges it or it recovers.",
    "If nobody has acknowledged it 10 minutes after the first alert, PagerDuty is told too.",
    "If nobody has acknowledged it 30 minutes after the first alert, Slack: #ops, PagerDuty are told too.",
    "If nobody has acknowledged it 60 minutes after the first alert, nobody is told: this stage names no channel.",
    "When the check recovers, everybody who was told hears of it.",
    "Of checks that run everywhere at once, 50 % of the locations must fail.",
    "A check that reports nothing for 10 minutes after a run was due alerts too.",
    "After 6 changes within 60 minutes, a check stays silent until it is stable.",
  ]);
});
