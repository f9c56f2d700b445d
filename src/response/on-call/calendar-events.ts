import { isTimeZone } from "../../platform/text/time.ts";
import { dayMs, getZone, hourMs, minuteMs, parseLocalTime } from "./local-time.ts";

/** An event of an iCalendar file. A time that cannot be parsed is NaN. */
export interface FileEvent {
  readonly summary: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly isRecurring: boolean;
  readonly isCancelled: boolean;
}

interface Property {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
}

/** Splits a file into lines. A line that starts with white space continues the previous line. */
function listLines(text: string): string[] {
  return text.replaceAll(/\r?\n[ \t]/g, "").split(/\r?\n/);
}

function parseProperty(line: string): Property | null {
  const match = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^;:"]*))*):(.*)$/.exec(line);
  if (match === null) return null;
  const [, name = "", parameters = "", value = ""] = match;
  const pairs = parameters.matchAll(/;([\w-]+)=(?:"([^"]*)"|([^;:"]*))/g);
  return {
    name: name.toUpperCase(),
    parameters: new Map(
      [...pairs].map(([, key = "", quoted, plain]) => [key.toUpperCase(), quoted ?? plain ?? ""]),
    ),
    value,
  };
}

const timePattern = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z?))?$/;

interface FileTime {
  readonly localMs: number;
  readonly zone: string;
}

/** Parses a time. A time without a zone or with an unknown zone is in the schedule's zone. */
function parseTime({ value, parameters }: Property, timeZone: string): FileTime {
  const [isTime, year, month, day, hours = "00", minutes = "00", utc = ""] =
    timePattern.exec(value) ?? [];
  const named = utc === "Z" ? "UTC" : (parameters.get("TZID") ?? "");
  return {
    localMs:
      isTime === undefined
        ? Number.NaN
        : parseLocalTime(`${year}-${month}-${day}T${hours}:${minutes}`),
    zone: isTimeZone(named) ? named : timeZone,
  };
}

const toInstant = ({ localMs, zone }: FileTime) =>
  Number.isNaN(localMs) ? localMs : getZone(zone).toInstant(localMs);

const durationPattern =
  /^\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:\d+S)?)?$/;

/**
 * Adds a duration to a time. Weeks and days are calendar days, even if clocks change in between,
 * and hours and minutes are exact (RFC 5545, section 3.3.6).
 */
function addDuration({ localMs, zone }: FileTime, value: string): number {
  const match = durationPattern.exec(value);
  if (match === null) return Number.NaN;
  const [weeks = 0, days = 0, hours = 0, minutes = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const dayEndMs = toInstant({ localMs: localMs + (weeks * 7 + days) * dayMs, zone });
  return dayEndMs + hours * hourMs + minutes * minuteMs;
}

const missing: FileTime = { localMs: Number.NaN, zone: "UTC" };

function readEvent(properties: readonly Property[], timeZone: string): FileEvent {
  const find = (name: string) => properties.find((property) => property.name === name);
  const [start, end, duration] = [find("DTSTART"), find("DTEND"), find("DURATION")];
  const from = start === undefined ? missing : parseTime(start, timeZone);
  const usual = start?.value.length === 8 ? "P1D" : "P0D";
  const summary = (find("SUMMARY")?.value ?? "").replaceAll(/\\([\\;,n])/gi, (_, sign: string) =>
    /n/i.test(sign) ? " " : sign,
  );
  return {
    summary: summary.slice(0, 200),
    fromMs: toInstant(from),
    toMs:
      end === undefined
        ? addDuration(from, duration?.value ?? usual)
        : toInstant(parseTime(end, timeZone)),
    isRecurring: find("RRULE") !== undefined || find("RDATE") !== undefined,
    isCancelled: find("STATUS")?.value.toUpperCase() === "CANCELLED",
  };
}

/**
 * Parses the events of an iCalendar file, at most `limit`. Returns `null` if the text is not an
 * iCalendar file.
 */
export function readEvents(
  text: string,
  { timeZone, limit }: { readonly timeZone: string; readonly limit: number },
): FileEvent[] | null {
  const lines = listLines(text.replace(/^\ufeff/, ""));
  if (!/^BEGIN:VCALENDAR\s*$/i.test(lines[0] ?? "")) return null;
  const events: FileEvent[] = [];
  let properties: Property[] | null = null;
  /**
   * Nesting depth of the current line. Components inside an event, such as alarms, have properties
   * with the same names as the event, so only properties at depth 1 are read.
   */
  let depth = 0;
  for (const line of lines) {
    const property = parseProperty(line);
    if (property === null) continue;
    const { name } = property;
    const isEvent = property.value.trim().toUpperCase() === "VEVENT";
    if (name === "BEGIN" && isEvent) properties = [];
    else if (name === "BEGIN") depth += 1;
    else if (name === "END" && isEvent && properties !== null) {
      events.push(readEvent(properties, timeZone));
      if (events.length >= limit) return events;
      properties = null;
    } else if (name === "END") depth -= 1;
    else if (depth === 1) properties?.push(property);
  }
  return events;
}
