import { minuteMs, type ReminderSettings } from "./alert-rules.ts";

/** The amount that means unlimited reminders. */
export const endlessAmount = 100_000;

/** Returns when the next reminder is due; `null` if none is. */
export function findReminderDueMs(
  reminders: ReminderSettings,
  sent: { readonly remindersSent: number; readonly lastAlertAtMs: number | null },
): number | null {
  if (sent.lastAlertAtMs === null) return null;
  const isEndless = reminders.amount >= endlessAmount;
  if (!isEndless && sent.remindersSent >= reminders.amount) return null;
  return sent.lastAlertAtMs + reminders.interval * minuteMs;
}
