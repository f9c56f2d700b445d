import assert from "node:assert/strict";
import { test } from "node:test";
import { formatValue, labels, newGroup, toChange, toValues } from "./group-values.ts";
import type { Group } from "./queries.ts";

const group = {
  ...toChange(newGroup, null),
  id: 7,
  name: "Network",
  useGlobalAlertSettings: false,
  alertSettings: {
    escalationType: "TIME_BASED",
    runBasedEscalation: { failedRunThreshold: 3 },
    timeBasedEscalation: { minutesFailingThreshold: 15 },
    reminders: { amount: 2, interval: 10 },
    parallelRunFailureThreshold: { enabled: true, percentage: 40 },
  },
  alertChannelSubscriptions: [
    { alertChannelId: 1, activated: true },
    { alertChannelId: 2, activated: false },
  ],
} as unknown as Group;

test("saving a group unchanged keeps its time-based escalation and its other alert settings", () => {
  const change = toChange(toValues(group), group);
  assert.deepEqual(change.alertSettings, group.alertSettings);
  assert.equal(change.useGlobalAlertSettings, false);
});

test("saving a group keeps an inactive channel", () => {
  const change = toChange(toValues(group), group);
  assert.deepEqual(change.alertChannelSubscriptions, group.alertChannelSubscriptions);
  const enabled = toChange({ ...toValues(group), channelIds: [1, 2] }, group);
  assert.deepEqual(enabled.alertChannelSubscriptions, [
    { alertChannelId: 1, activated: true },
    { alertChannelId: 2, activated: true },
  ]);
});

test("the escalation of a group can be changed from minutes to runs", () => {
  const values = { ...toValues(group), escalation: "RUN_BASED", failedRuns: 4 } as const;
  const { alertSettings } = toChange(values, group);
  assert.equal(alertSettings?.escalationType, "RUN_BASED");
  assert.equal(alertSettings?.runBasedEscalation?.failedRunThreshold, 4);
  assert.equal(alertSettings?.timeBasedEscalation?.minutesFailingThreshold, 15);
});

test("a group selects a policy and an urgency, also with the settings of the account", () => {
  const paging = { escalationPolicyId: "p-1", urgency: "LOW" } as const;
  const own = toChange({ ...toValues(group), ...paging }, group);
  assert.deepEqual(own.alertSettings, { ...group.alertSettings, ...paging });
  const paged = { ...group, alertSettings: own.alertSettings } as Group;
  const { escalationPolicyId, urgency } = toValues(paged);
  assert.deepEqual({ escalationPolicyId, urgency }, paging);
  const account = { ...newGroup, alerting: "account" } as const;
  assert.equal(toChange(account, null).alertSettings, undefined);
  assert.deepEqual(toChange({ ...account, ...paging }, null).alertSettings, paging);
  const none = { ...toValues(paged), escalationPolicyId: null, urgency: "" } as const;
  const { alertSettings } = toChange(none, paged);
  assert.deepEqual([alertSettings?.escalationPolicyId, alertSettings?.urgency], [null, null]);
});

test("scripts of a group are sent only if they were changed", () => {
  const scripted = { ...group, localSetupScript: "one()", setupSnippetId: 4 } as Group;
  const values = toValues(scripted);
  assert.deepEqual([values.localSetupScript, values.setupSnippetId], ["one()", 4]);
  const unchanged = toChange(values, scripted);
  assert.ok(!("localSetupScript" in unchanged) && !("setupSnippetId" in unchanged));
  const emptied = { ...values, localSetupScript: "", localTearDownScript: "two()" };
  const change = toChange({ ...emptied, setupSnippetId: null }, scripted);
  const { localSetupScript, localTearDownScript, setupSnippetId } = change;
  assert.deepEqual([localSetupScript, localTearDownScript, setupSnippetId], [null, "two()", null]);
});

const names = {
  channels: new Map([
    [1, "E-mail: ops@example.com"],
    [2, "E-mail: ops@example.com"],
    [3, "Slack: alerts"],
  ]),
  locations: new Map([["eu-central-1", "Frankfurt"]]),
};

test("a conflict shows channels, locations and choices as text", () => {
  const format = (path: string, value: unknown) => formatValue(path, value, names);
  assert.equal(format("locations", ["eu-central-1", "us-east-1"]), "Frankfurt, us-east-1");
  assert.equal(
    format("channelIds", [2, 3, 9]),
    "E-mail: ops@example.com (2), Slack: alerts, Channel 9",
  );
  for (const path of ["alerting", "escalation", "urgency", "runParallel"] as const) {
    assert.notEqual(format(path, newGroup[path]), undefined, path);
  }
  assert.equal(format("name", "Network"), undefined);
  assert.equal(format("locations", []), undefined);
});

test("every form value has a label", () => {
  assert.deepEqual([...labels.keys()].sort(), Object.keys(newGroup).sort());
});
