import assert from "node:assert/strict";
import { test } from "node:test";
import { Value } from "typebox/value";
import {
  type AlertSettings,
  AlertSettingsSchema,
  combineAlertSettings,
  defaultAlertSettings,
  RetryStrategySchema,
  type TriggerIncident,
  tidyTrigger,
} from "./alert-settings.ts";

const policy = (end: string) => `00000000-0000-4000-8000-00000000000${end}`;
const runs = (failedRunThreshold: number): AlertSettings => ({
  ...defaultAlertSettings,
  runBasedEscalation: { failedRunThreshold },
});

test("omitted and empty settings have their defaults", () => {
  for (const settings of [{}, { reminders: {}, parallelRunFailureThreshold: {} }]) {
    const filled = Value.Default(AlertSettingsSchema, structuredClone(settings));
    assert.deepEqual(filled, defaultAlertSettings);
    assert.ok(Value.Check(AlertSettingsSchema, filled));
  }
  assert.ok(Value.Check(AlertSettingsSchema, defaultAlertSettings));
});

test("thresholds have the values that clients know", () => {
  const isValid = (change: object) =>
    Value.Check(AlertSettingsSchema, { ...defaultAlertSettings, ...change });
  const rows: readonly (readonly [object, boolean])[] = [
    [{ runBasedEscalation: { failedRunThreshold: 5 } }, true],
    [{ runBasedEscalation: { failedRunThreshold: 6 } }, false],
    [{ runBasedEscalation: { failedRunThreshold: 0 } }, false],
    [{ timeBasedEscalation: { minutesFailingThreshold: 30 } }, true],
    [{ timeBasedEscalation: { minutesFailingThreshold: 7 } }, false],
    [{ reminders: { amount: 100_000, interval: 30 } }, true],
    [{ reminders: { amount: 6, interval: 5 } }, false],
    [{ parallelRunFailureThreshold: { enabled: true, percentage: 15 } }, false],
    [{ sslCertificates: { enabled: true, alertThreshold: 366 } }, false],
    [{ escalationType: "SOMETIMES" }, false],
    [{ escalationPolicyId: "none" }, false],
    [{ escalationPolicyId: null, urgency: null }, true],
    [{ urgency: "MEDIUM" }, false],
  ];
  for (const [change, expected] of rows) {
    assert.equal(isValid(change), expected, JSON.stringify(change));
  }
});

test("settings of a group replace those of its checks", () => {
  assert.equal(combineAlertSettings(runs(2), null).runBasedEscalation.failedRunThreshold, 2);
  assert.deepEqual(combineAlertSettings(runs(2), runs(3)), runs(3));
});

test("a check keeps its own policy and urgency in a group", () => {
  const own: AlertSettings = { ...runs(2), escalationPolicyId: policy("1"), urgency: "LOW" };
  const group: AlertSettings = { ...runs(3), escalationPolicyId: policy("2"), urgency: "HIGH" };
  assert.deepEqual(combineAlertSettings(own, group), {
    ...runs(3),
    ...{ escalationPolicyId: policy("1"), urgency: "LOW" },
  });
  assert.deepEqual(combineAlertSettings(runs(2), group), group);
  const unset: AlertSettings = { ...runs(2), escalationPolicyId: null, urgency: null };
  assert.deepEqual(combineAlertSettings(unset, group), group);
});

test("retries are limited in number and in time", () => {
  const usual = Value.Default(RetryStrategySchema, {});
  assert.deepEqual(usual, {
    ...{ type: "FIXED", baseBackoffSeconds: 60, sameRegion: true },
    ...{ maxRetries: 2, maxDurationSeconds: 600, onlyOn: [] },
  });
  const isValid = (change: object) =>
    Value.Check(RetryStrategySchema, { ...(usual as object), ...change });
  assert.ok(isValid({ maxRetries: 10, onlyOn: ["NETWORK_ERROR"], type: "SINGLE_RETRY" }));
  for (const change of [
    { maxRetries: 11 },
    { maxRetries: 0 },
    { maxRetries: 1.5 },
    { baseBackoffSeconds: 601 },
    { maxDurationSeconds: -1 },
    { onlyOn: ["NETWORK_ERROR", "NETWORK_ERROR"] },
    { onlyOn: ["TIMEOUT"] },
    { type: "RANDOM" },
  ]) {
    assert.equal(isValid(change), false, JSON.stringify(change));
  }
});

test("a trigger keeps its known fields only, with an id that can be compared", () => {
  const trigger: TriggerIncident = {
    serviceId: "ABCDEF00-0000-4000-8000-000000000001",
    severity: "MAJOR",
    name: "Down",
    description: "x",
    notifySubscribers: true,
  };
  const { serviceId, ...rest } = trigger;
  const tidied = tidyTrigger({ ...trigger, ...{ extra: "x" } });
  assert.deepEqual(tidied, { serviceId: serviceId.toLowerCase(), ...rest });
});
