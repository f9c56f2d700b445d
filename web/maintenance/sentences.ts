/** Describes the schedule and the coverage of a maintenance window. */
import { ownZone } from "../parts/time-zones.ts";
import { formatLength } from "./days.ts";
import type { Coverage, MaintenanceWindow } from "./queries.ts";

/** Converts between local times of a time zone and timestamps. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone });
  formats.set(key, made);
  return made;
}

const clockParts = new Map<string, Intl.DateTimeFormat>();

function findClock(zone: string): Intl.DateTimeFormat {
  const known = clockParts.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  clockParts.set(zone, made);
  return made;
}

/** Returns the local time of a zone as a timestamp, as if the local time were UTC. */
function readClockMs(atMs: number, zone: string): number {
  const parts = new Map(
    findClock(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
}

/** Formats a time as the value of a `datetime-local` field: "2026-03-29T02:30". */
export function toLocalText(atMs: number, zone: string): string {
  return new Date(readClockMs(atMs, zone)).toISOString().slice(0, 16);
}

/**
 * Converts a local time to a timestamp, with the server's rules for clock changes: a repeated time
 * means its first occurrence, and a skipped time moves forward by the length of the gap. Returns
 * NaN if the text is invalid.
 */
export function toTimestampMs(text: string, zone: string): number {
  const wantedMs = Date.parse(`${text}Z`);
  if (Number.isNaN(wantedMs)) return Number.NaN;
  const dayMs = 86_400_000;
  // UTC offsets a day earlier and a day later, which differ if the clocks change in between.
  const offsets = [wantedMs - dayMs, wantedMs + dayMs].map((ms) => readClockMs(ms, zone) - ms);
  const moments = offsets.map((offset) => wantedMs - offset);
  const exact = moments.filter((ms) => readClockMs(ms, zone) === wantedMs);
  return exact.length > 0 ? Math.min(...exact) : wantedMs - (offsets[0] ?? 0);
}

const formatDay = (at: string | number, zone = ownZone) =>
  formatIn(zone, { weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(
    new Date(at),
  );

export const formatTime = (at: string | number, zone = ownZone) =>
  formatIn(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(at));

const findOffset = (at: string, zone: string) => readClockMs(Date.parse(at), zone) - Date.parse(at);

/**
 * Formats a start and an end: "02:30" and "03:30", with zone names if the clocks change in between.
 */
export function formatTimes(startsAt: string, endsAt: string, zone = ownZone): readonly string[] {
  const isChanged = findOffset(startsAt, zone) !== findOffset(endsAt, zone);
  const show = (at: string) =>
    isChanged
      ? formatIn(zone, {
          hour: "2-digit",
          minute: "2-digit",
          hourCycle: "h23",
          timeZoneName: "short",
        }).format(new Date(at))
      : formatTime(at, zone);
  return [show(startsAt), show(endsAt)];
}

/** Formats a span as "Sun, 29 Mar 2026, 03:30 – 04:30", with the end date if it differs. */
export function formatSpan(startsAt: string, endsAt: string, zone = ownZone): string {
  const [firstDay, lastDay] = [formatDay(startsAt, zone), formatDay(endsAt, zone)];
  const [start, end] = formatTimes(startsAt, endsAt, zone);
  const until = firstDay === lastDay ? end : `${lastDay}, ${end}`;
  return `${firstDay}, ${start} – ${until}`;
}

/**
 * Returns whether the local time at `startsAt` is the same in this zone and in the user's own zone.
 */
export function isSameClock(zone: string, startsAt: string): boolean {
  const atMs = Date.parse(startsAt);
  return readClockMs(atMs, zone) === readClockMs(atMs, ownZone);
}

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

/** Formats "Every 2 weeks on Sunday at 02:30 (Europe/Berlin), for 1 h, until Sun, 1 Dec 2027". */
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
