import { minuteMs, type ReminderSettings } from "./alert-rules.ts";

/** The amount that means: without end. */
export const endlessAmount = 100_000;

/** When the next reminder is due; null when there is none. */
export function findReminderDueMs(
  reminders: ReminderSettings,
  sent: { readonly remindersSent: number; readonly lastAlertAtMs: number | null },
): number | null {
  if (sent.lastAlertAtMs === null) return null;
  const isEndless = reminders.amount >= endlessAmount;
  if (!isEndless && sent.remindersSent >= reminders.amount) return null;
  return sent.lastAlertAtMs + reminders.interval * minuteMs;
}
