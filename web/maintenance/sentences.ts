/** Describes the schedule and the coverage of a window. */
import { formatLength } from "./days.ts";
import type { Coverage, MaintenanceWindow } from "./wire.ts";
import { formatDay, formatTime } from "./zone.ts";

type Rule = Pick<
  MaintenanceWindow,
  "startsAt" | "endsAt" | "timezone" | "repeatUnit" | "repeatInterval" | "repeatEndsAt"
>;

const units = { DAY: "day", WEEK: "week", MONTH: "month" } as const;

function formatOrdinal(day: number): string {
  const isTeen = day > 10 && day < 14;
  const ending = isTeen ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th");
  return `${day}${ending}`;
}

function formatEvery({ repeatUnit, repeatInterval, startsAt, timezone }: Rule): string {
  if (repeatUnit === null) return `Once, on ${formatDay(startsAt, timezone)}`;
  const count = repeatInterval ?? 1;
  const unit = units[repeatUnit];
  const every = count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`;
  const inZone = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone: timezone }).format(new Date(startsAt));
  if (repeatUnit === "WEEK") return `${every} on ${inZone({ weekday: "long" })}`;
  if (repeatUnit === "DAY") return every;
  const day = Number(inZone({ day: "numeric" }));
  const last = day > 28 ? ", or the last day of a shorter month" : "";
  return `${every} on the ${formatOrdinal(day)}${last}`;
}

/**
 * Formats a schedule: "Every 2 weeks on Sunday at 02:30 (Europe/Berlin), for 1 h, until Sun, 1 Dec
 * 2027".
 */
export function formatRule(rule: Rule): string {
  const { startsAt, timezone, repeatUnit, repeatEndsAt } = rule;
  const at = `at ${formatTime(startsAt, timezone)} (${timezone})`;
  const until =
    repeatUnit !== null && repeatEndsAt !== null
      ? `, until ${formatDay(repeatEndsAt, timezone)}`
      : "";
  return `${formatEvery(rule)} ${at}, for ${formatLength(rule)}${until}`;
}

const formatCheckCount = (count: number) => (count === 1 ? "1 check" : `${count} checks`);

/** Formats the coverage: "12 checks", "every check (412)", "nothing". */
export function formatCoverage({
  isEverything,
  checkCount,
  tags,
  groups,
  checks,
}: Coverage): string {
  if (isEverything) return `every check (${checkCount})`;
  if (tags.length + groups.length + checks.length === 0) return "nothing";
  return formatCheckCount(checkCount);
}

/** Formats the parts of the coverage: "tag db (12 checks), group Shop (3 checks), check api". */
export function formatParts({ tags, groups, checks }: Coverage): string {
  return [
    ...tags.map(({ tag, checkCount }) => `tag ${tag} (${formatCheckCount(checkCount)})`),
    ...groups.map(({ name, checkCount }) =>
      name === null ? "a deleted group" : `group ${name} (${formatCheckCount(checkCount)})`,
    ),
    ...checks.map(({ name }) => (name === null ? "a deleted check" : `check ${name}`)),
  ].join(", ");
}
