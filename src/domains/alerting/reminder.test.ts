import assert from "node:assert/strict";
import { test } from "node:test";
import { findReminderDueMs } from "./reminder.ts";

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
