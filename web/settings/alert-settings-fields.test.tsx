/** The alert settings of an account, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../test/support/components/part.tsx";
import { ApiError } from "../api/api-error.ts";
import type { Schemas } from "../api/client.ts";
import { AlertSettingsFields, formatAmount } from "./alert-settings-fields.tsx";
import { words } from "./words.ts";

type Settings = Schemas["AccountAlertSettings"];
const own = words.alertSettings;

const initial: Settings = {
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

const mail = {
  id: 7,
  type: "EMAIL",
  config: { address: "ops@x.test" },
} as Schemas["AlertChannel"];

interface Given {
  readonly settings?: Partial<Settings>;
  readonly channels?: readonly Schemas["AlertChannel"][];
  readonly error?: unknown;
  readonly isReadOnly?: boolean;
}

function renderFields({ settings, channels = [mail], error = null, isReadOnly = false }: Given) {
  let current: Settings = { ...initial, ...settings };
  function Fields() {
    const [values, setValues] = useState(current);
    current = values;
    const given = { channels, error, isReadOnly, settings: values };
    return <AlertSettingsFields {...given} onChange={setValues} />;
  }
  return { part: renderPart(<Fields />), read: () => current };
}

test("an alert is sent after failed runs or after minutes, and each keeps its threshold", async () => {
  const { part, read } = renderFields({});
  await part.getByLabel(own.failedRuns).selectOption("3");
  await part.getByLabel(own.when, { exact: true }).selectOption("TIME_BASED");
  assert.equal(part.getByLabel(own.failedRuns).count(), 0);
  await part.getByLabel(own.failingMinutes).selectOption("15");
  assert.deepEqual(read(), {
    ...initial,
    escalationType: "TIME_BASED",
    runBasedEscalation: { failedRunThreshold: 3 },
    timeBasedEscalation: { minutesFailingThreshold: 15 },
  });
});

test("a share of locations and a time without data are asked for only when switched on", async () => {
  const { part, read } = renderFields({});
  assert.equal(part.getByLabel(own.percentage).count(), 0);
  await part.getByLabel(own.locations).check();
  await part.getByLabel(own.percentage).selectOption("50");
  await part.getByLabel(own.noData).check();
  assert.equal(await part.getByLabel(own.noDataMinutes).inputValue(), "10");
  await part.getByLabel(own.noDataMinutes).fill("25");
  assert.deepEqual(read().parallelRunFailureThreshold, { enabled: true, percentage: 50 });
  assert.equal(read().noDataMinutes, 25);
  await part.getByLabel(own.noData).uncheck();
  assert.equal(read().noDataMinutes, null);
});

test("reminders have a number, or last until the recovery", async () => {
  const { part, read } = renderFields({});
  await part.getByLabel(own.reminderAmount).selectOption(own.withoutEnd);
  await part.getByLabel(own.reminderInterval).selectOption("30");
  assert.deepEqual(read().reminders, { amount: 100_000, interval: 30 });
  assert.deepEqual([formatAmount(3), formatAmount(100_000)], ["3", own.withoutEnd]);
});

test("alerts of a flapping check are held with limits that can be changed", async () => {
  const { part, read } = renderFields({});
  await part.getByLabel(own.damping).check();
  assert.deepEqual(read().flapDamping, { transitions: 6, windowMinutes: 60 });
  await part.getByLabel(own.transitions).fill("4");
  await part.getByLabel(own.window).fill("30");
  assert.deepEqual(read().flapDamping, { transitions: 4, windowMinutes: 30 });
  await part.getByLabel(own.damping).uncheck();
  assert.equal(read().flapDamping, null);
});

test("a stage of the escalation notifies further channels, and is removed", async () => {
  const { part, read } = renderFields({
    settings: { escalationStages: [{ afterMinutes: 5, alertChannelIds: [] }] },
  });
  await part.getByRole("button", { name: own.addStage }).click();
  await part.getByLabel(own.afterMinutes).last().fill("45");
  await part
    .getByRole("checkbox", { name: /ops@x\.test/ })
    .last()
    .check();
  assert.deepEqual(read().escalationStages, [
    { afterMinutes: 5, alertChannelIds: [] },
    { afterMinutes: 45, alertChannelIds: [7] },
  ]);
  await part.getByRole("button", { name: `${own.removeStage} 1` }).click();
  assert.deepEqual(read().escalationStages, [{ afterMinutes: 45, alertChannelIds: [7] }]);
});

test("an account has at most five stages, and none without a channel", async () => {
  const stages = Array.from({ length: 5 }, () => ({ afterMinutes: 5, alertChannelIds: [7] }));
  const full = renderFields({ settings: { escalationStages: stages } });
  await full.part.getByRole("button", { name: `${own.removeStage} 5` }).waitFor();
  assert.equal(full.part.getByRole("button", { name: own.addStage }).count(), 0);
});

test("without a channel no stage can be added", async () => {
  const { part } = renderFields({ channels: [] });
  await part.getByText(own.noChannels).waitFor();
  await part.getByText(own.noStages).waitFor();
  assert.equal(part.getByRole("button", { name: own.addStage }).count(), 0);
});

test("a reader is offered neither a new stage nor the removal of one", async () => {
  const escalationStages = [{ afterMinutes: 5, alertChannelIds: [7] }];
  const { part } = renderFields({ settings: { escalationStages }, isReadOnly: true });
  await part.getByLabel(own.afterMinutes).waitFor();
  assert.equal(part.getByRole("button", { name: /stage/i }).count(), 0);
});

test("a rejected field shows the reason", async () => {
  const fieldErrors = { "reminders.amount": "must be one of 0 to 5" };
  const error = new ApiError({
    kind: "rejected",
    message: "Validation failed",
    status: 400,
    requestId: null,
    fieldErrors,
  } as ConstructorParameters<typeof ApiError>[0]);
  const { part } = renderFields({ error });
  await part.getByText("must be one of 0 to 5").waitFor();
});
