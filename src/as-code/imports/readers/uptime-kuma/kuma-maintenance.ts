import { isTimeZone } from "../../../../platform/text/time.ts";
import { reference } from "../../reading.ts";
import { cutName, type Origin, type ReadingBuilder } from "../../reading-builder.ts";
import type { Row } from "../row.ts";
import type { KumaData } from "./kuma-data.ts";
import { monitorOrigin } from "./kuma-monitors.ts";

/** A maintenance window as Vedette stores it, with its first occurrence and its recurrence. */
interface Window {
  readonly startsAt: string;
  readonly endsAt: string;
  readonly repeatUnit: "DAY" | "WEEK" | "MONTH" | null;
  readonly repeatInterval: number | null;
  readonly repeatEndsAt: string | null;
}

function readZone(data: KumaData, row: Row): string {
  const own = row.text("timezone");
  const named =
    own === null || own === "SAME_AS_SERVER" ? data.settings.get("serverTimezone") : own;
  return typeof named === "string" && isTimeZone(named) ? named : "UTC";
}

/** Parses a date and time, which is in the time zone of the maintenance. */
function parseLocal(text: string | null): Temporal.PlainDateTime | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)/.exec(text ?? "");
  try {
    return match === null ? null : Temporal.PlainDateTime.from(`${match[1]}T${match[2]}`);
  } catch {
    return null;
  }
}

function parseClock(text: string | null): Temporal.PlainTime | null {
  try {
    return text === null ? null : Temporal.PlainTime.from(text);
  } catch {
    return null;
  }
}

const toInstant = (local: Temporal.PlainDateTime, zone: string): string =>
  new Date(local.toZonedDateTime(zone).epochMilliseconds).toISOString();

interface Recurrence {
  readonly unit: "DAY" | "WEEK" | "MONTH";
  readonly interval: number;
  /** First dates of the recurring windows. One window is created per date. */
  readonly days: readonly Temporal.PlainDate[];
}

function readNumbers(row: Row, key: string): { numbers: number[]; hasOther: boolean } {
  const list = row.json(key);
  const entries: unknown[] = Array.isArray(list) ? list : [];
  const numbers = entries.map(Number).filter(Number.isInteger);
  return { numbers, hasOther: numbers.length < entries.length };
}

/** Returns the first date within a year of `from` that satisfies a condition. */
function findDate(
  from: Temporal.PlainDate,
  isDay: (date: Temporal.PlainDate) => boolean,
): Temporal.PlainDate | null {
  for (let days = 0; days <= 366; days += 1) {
    const date = from.add({ days });
    if (isDay(date)) return date;
  }
  return null;
}

function readRecurrence(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  from: Temporal.PlainDate,
): Recurrence | null {
  switch (row.text("strategy")) {
    case "recurring-interval":
      return { unit: "DAY", interval: Math.max(row.integer("interval_day") ?? 1, 1), days: [from] };
    case "recurring-weekday": {
      const { numbers } = readNumbers(row, "weekdays");
      // Sunday is 0 in Uptime Kuma and 7 in Temporal.
      const days = numbers.map((day) => findDate(from, (date) => date.dayOfWeek % 7 === day));
      return { unit: "WEEK", interval: 1, days: days.filter((day) => day !== null) };
    }
    case "recurring-day-of-month": {
      const { numbers, hasOther } = readNumbers(row, "days_of_month");
      if (hasOther) {
        const why = "A window cannot recur on the last day of a month.";
        builder.change(origin, "days of the month", { from: "last day", to: "none", why });
      }
      const days = numbers.map((day) => findDate(from, (date) => date.day === day));
      return { unit: "MONTH", interval: 1, days: days.filter((day) => day !== null) };
    }
    default:
      return null;
  }
}

function planRecurring(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  zone: string,
): Window[] | null {
  const start = parseClock(row.text("start_time"));
  const end = parseClock(row.text("end_time"));
  const first = parseLocal(row.text("start_date"))?.toPlainDate();
  const last = parseLocal(row.text("end_date"));
  // A series without a start date began before the file was written, so any past date is correct.
  const from = first ?? Temporal.PlainDate.from("2026-01-01");
  const recurrence = readRecurrence(builder, origin, row, from);
  if (recurrence === null || start === null || end === null) return null;
  const passesMidnight = Temporal.PlainTime.compare(end, start) <= 0;
  return recurrence.days.map((day) => ({
    startsAt: toInstant(day.toPlainDateTime(start), zone),
    endsAt: toInstant(day.add({ days: passesMidnight ? 1 : 0 }).toPlainDateTime(end), zone),
    repeatUnit: recurrence.unit,
    repeatInterval: recurrence.interval,
    repeatEndsAt: last === null ? null : toInstant(last, zone),
  }));
}

function planWindows(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  zone: string,
): Window[] | null {
  if (row.text("strategy") !== "single") return planRecurring(builder, origin, row, zone);
  const start = parseLocal(row.text("start_date"));
  const end = parseLocal(row.text("end_date"));
  if (start === null || end === null) return null;
  return [
    {
      startsAt: toInstant(start, zone),
      endsAt: toInstant(end, zone),
      repeatUnit: null,
      repeatInterval: null,
      repeatEndsAt: null,
    },
  ];
}

export function addMaintenances(builder: ReadingBuilder, data: KumaData): void {
  for (const row of data.maintenances) {
    const id = row.integer("id") ?? 0;
    const name = row.text("title") ?? `Maintenance ${id}`;
    const origin = { origin: `kuma/maintenance-${id}`, name };
    if (!row.flag("active", true)) {
      builder.leaveOut(origin, "The maintenance is not active.");
      continue;
    }
    const zone = readZone(data, row);
    const windows = planWindows(builder, origin, row, zone);
    if (windows === null || windows.length === 0) {
      const strategy = row.text("strategy") ?? "unknown";
      builder.leaveOut(origin, `Windows with the strategy ${strategy} cannot be converted.`);
      continue;
    }
    const checks = data.maintenanceMonitors
      .filter((link) => link.integer("maintenance_id") === id)
      .map((link) => monitorOrigin(link.integer("monitor_id") ?? -1))
      .filter((check) => builder.has(check));
    for (const [index, window] of windows.entries()) {
      const logicalId = `${origin.origin}${windows.length > 1 ? `-${index + 1}` : ""}`;
      const payload = {
        name: cutName(name).slice(0, 200),
        description: row.text("description")?.slice(0, 2_000) ?? null,
        timezone: zone,
        checkIds: checks.map(reference),
        ...window,
      };
      builder.add({ type: "maintenance-window", logicalId, payload }, name);
    }
  }
}
