import { minuteMs, type ReminderSettings } from "./alert-rules.ts";

/** The amount by which clients say: without end. */
export const endlessAmount = 100_000;

/** When the next reminder is due after the last alert or reminder; null when none is left. */
export function findReminderDueMs(
  reminders: ReminderSettings,
  told: { readonly remindersSent: number; readonly lastAlertAtMs: number | null },
): number | null {
  if (told.lastAlertAtMs === null) return null;
  const isEndless = reminders.amount >= endlessAmount;
  if (!isEndless && told.remindersSent >= reminders.amount) return null;
  return told.lastAlertAtMs + reminders.interval * minuteMs;
}
