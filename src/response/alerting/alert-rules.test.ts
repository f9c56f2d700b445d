import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findNextStageMs,
  findReminderDueMs,
  listDueStages,
  listReachedChannelIds,
} from "./alert-rules.ts";

const at = (reached: number, hurriedTo = 0) => ({ reached, hurriedTo });

test("a reminder is due an interval after the last message, up to the amount", () => {
  const reminders = { amount: 2, interval: 5 };
  assert.equal(findReminderDueMs(reminders, { remindersSent: 0, lastAlertAtMs: 7 }), 300_007);
  assert.equal(findReminderDueMs(reminders, { remindersSent: 1, lastAlertAtMs: 7 }), 300_007);
  assert.equal(findReminderDueMs(reminders, { remindersSent: 2, lastAlertAtMs: 7 }), null);
});

test("without an alert, or with an amount of zero, there is no reminder", () => {
  const sent = { remindersSent: 0, lastAlertAtMs: null };
  assert.equal(findReminderDueMs({ amount: 5, interval: 5 }, sent), null);
  const none = { amount: 0, interval: 5 };
  assert.equal(findReminderDueMs(none, { remindersSent: 0, lastAlertAtMs: 7 }), null);
});

test("the amount for unlimited reminders has no end", () => {
  const endless = { amount: 100_000, interval: 1 };
  assert.equal(findReminderDueMs(endless, { remindersSent: 100_000, lastAlertAtMs: 0 }), 60_000);
});

const minute = 60_000;
const late = { afterMinutes: 30, channelIds: [3, 1] };
const early = { afterMinutes: 10, channelIds: [1, 2] };
const stages = [late, early];

test("stages are due by their times, in whatever order they are stored", () => {
  assert.deepEqual(listDueStages(stages, at(0), 10 * minute - 1), []);
  assert.deepEqual(listDueStages(stages, at(0), 10 * minute), [early]);
  assert.deepEqual(listDueStages(stages, at(0), 90 * minute), [early, late]);
});

test("a stage that was reached is not due again", () => {
  assert.deepEqual(listDueStages(stages, at(1), 90 * minute), [late]);
  assert.deepEqual(listDueStages(stages, at(2), 90 * minute), []);
  assert.deepEqual(listDueStages(stages, at(9), 90 * minute), [], "stages were removed since");
});

test("the next stage is known until all are reached", () => {
  assert.equal(findNextStageMs(stages, at(0)), 10 * minute);
  assert.equal(findNextStageMs(stages, at(1)), 30 * minute);
  assert.equal(findNextStageMs(stages, at(2)), null);
  assert.equal(findNextStageMs([], at(0)), null);
});

test("no stage is due before the alert, even if the clock was set back", () => {
  assert.deepEqual(listDueStages([{ afterMinutes: 0, channelIds: [1] }], at(0), -1), []);
});

test("each channel of the reached stages is listed once", () => {
  assert.deepEqual(listReachedChannelIds(stages, 0), []);
  assert.deepEqual(listReachedChannelIds(stages, 1), [1, 2]);
  assert.deepEqual(listReachedChannelIds(stages, 2), [1, 2, 3]);
});

test("a stage after a failed page does not wait for its minutes", () => {
  const one = { afterMinutes: 10, channelIds: [1] };
  const two = { afterMinutes: 20, channelIds: [2] };
  assert.deepEqual(listDueStages([two, one], at(0, 1), 0), [one]);
  assert.deepEqual(listDueStages([two, one], at(0, 2), 0), [one, two]);
  assert.deepEqual(listDueStages([two, one], at(1, 1), 0), []);
  assert.equal(findNextStageMs([two, one], at(0, 1)), 0);
  assert.equal(findNextStageMs([two, one], at(1, 1)), 20 * minute);
});
