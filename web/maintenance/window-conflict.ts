/** A window that two people change: its values as people compare them. Pure. */
import type { Fields } from "../kinds/fields.ts";
import type { WindowValues } from "./values.ts";
import { words } from "./words.ts";

const own = words.form;

/** Checks are compared by their names; one without keeps its id. */
const nameOf = ({ id, name }: WindowValues["checks"][number]) => name ?? id;

export function toShown({ checks, ...values }: WindowValues): Fields {
  return { ...values, checks: checks.map(nameOf).sort() };
}

export function fromShown(fields: Fields, from: readonly WindowValues[]): WindowValues {
  const known = new Map(from.flatMap(({ checks }) => checks.map((one) => [nameOf(one), one])));
  const names = Array.isArray(fields.checks) ? fields.checks.map(String) : [];
  const checks = names.flatMap((name) => known.get(name) ?? []);
  // The rest has only been chosen from values of windows.
  return { ...(fields as unknown as WindowValues), checks };
}

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
  ["checks", own.checks],
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
