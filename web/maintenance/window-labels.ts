/** Labels of the values of a window, by their path. */
import { words } from "./words.ts";

const own = words.form;

export const labels: ReadonlyMap<string, string> = new Map([
  ["name", own.name],
  ["description", own.description],
  ["startsAt", own.start],
  ["minutes", own.minutes],
  ["timezone", own.timezone],
  ["repeatUnit", own.repeats],
  ["repeatInterval", own.interval],
  ["repeatUntil", own.until],
  ["silencesAll", own.all],
  ["tags", own.tags],
  ["groupIds", own.groups],
  ["checkIds", own.checks],
  ["visibility.enabled", own.show],
  ["visibility.statusPageIds", own.whichPages],
  ["visibility.serviceIds", own.services],
  ["visibility.affectAllServices", own.allServices],
  ["visibility.severity", own.severity],
  ["visibility.notifyOnStart", `${own.tell} ${own.notifyOnStart}`],
  ["visibility.notifyOnEnd", `${own.tell} ${own.notifyOnEnd}`],
  ["visibility.reminderMinutesBefore", own.reminders],
  ["visibility.suppressAutoIncidents", own.suppress],
]);
