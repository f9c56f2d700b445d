import { isTimeZone } from "../../platform/text/time.ts";
import { dayMs, getZone, hourMs, minuteMs, parseLocalTime } from "./local-time.ts";
import { listStarts, parseRule, type RecurrenceRule } from "./recurrence-rule.ts";
import type { Span } from "./schedule.ts";

/** An event of an iCalendar file. A time that cannot be parsed is NaN. */
export interface FileEvent {
  readonly summary: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly isCancelled: boolean;
  /** `null` for a single event. */
  readonly recurrence: Recurrence | null;
}

interface Recurrence {
  /** `null` if the rule is not supported. */
  readonly rule: RecurrenceRule | null;
  readonly zone: string;
  /** Starts of occurrences that are cancelled, or that another event of the file replaces. */
  readonly exceptions: ReadonlySet<number>;
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

/** Maximum length of an event that recurs. */
const maxRecurringMs = 31 * dayMs;

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

/** Parses the last start of UNTIL as a local time of a zone. A date includes its whole day. */
function parseUntil(value: string, zone: string): number {
  const until = parseTime({ name: "UNTIL", parameters: new Map(), value }, zone);
  if (value.length === 8) return until.localMs + dayMs - 1;
  return getZone(zone).toLocal(toInstant(until));
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

function readRecurrence(
  properties: readonly Property[],
  { zone }: FileTime,
  replaced: readonly Property[],
): Recurrence | null {
  const rules = properties.filter(({ name }) => name === "RRULE" || name === "RDATE");
  const [first] = rules;
  if (first === undefined) return null;
  const isAlone = rules.length === 1 && first.name === "RRULE";
  const rule = isAlone ? parseRule(first.value, (text) => parseUntil(text, zone)) : null;
  const excluded = properties
    .filter(({ name }) => name === "EXDATE")
    .flatMap((property) => property.value.split(",").map((value) => ({ ...property, value })));
  const exceptions = [...excluded, ...replaced].map((one) => toInstant(parseTime(one, zone)));
  return { rule, zone, exceptions: new Set(exceptions) };
}

/** Lists per UID the RECURRENCE-ID of events that replace one occurrence of a recurring event. */
function listReplaced(events: readonly (readonly Property[])[]): ReadonlyMap<string, Property[]> {
  const replaced = new Map<string, Property[]>();
  for (const properties of events) {
    const uid = properties.find(({ name }) => name === "UID")?.value;
    const start = properties.find(({ name }) => name === "RECURRENCE-ID");
    if (uid === undefined || start === undefined) continue;
    replaced.set(uid, [...(replaced.get(uid) ?? []), start]);
  }
  return replaced;
}

/** Lists the occurrences of an event in a range. Returns `null` if its rule is not supported. */
export function listOccurrences(event: FileEvent, range: Span): Span[] | null {
  const { fromMs, toMs, recurrence } = event;
  const overlaps = (span: Span) => span.fromMs < range.toMs && span.toMs > range.fromMs;
  if (recurrence === null) return [{ fromMs, toMs }].filter(overlaps);
  const zone = getZone(recurrence.zone);
  const startMs = zone.toLocal(fromMs);
  // Occurrences have the same length on the local clock, also if clocks change in between.
  const lengthMs = zone.toLocal(toMs) - startMs;
  if (recurrence.rule === null || lengthMs > maxRecurringMs) return null;
  const starts = listStarts(recurrence.rule, startMs, {
    fromMs: zone.toLocal(range.fromMs) - lengthMs,
    toMs: zone.toLocal(range.toMs),
  });
  return (
    starts
      ?.map((localMs) => ({
        fromMs: zone.toInstant(localMs),
        toMs: zone.toInstant(localMs + lengthMs),
      }))
      .filter((span) => overlaps(span) && !recurrence.exceptions.has(span.fromMs)) ?? null
  );
}

function readEvent(
  properties: readonly Property[],
  replaced: ReadonlyMap<string, readonly Property[]>,
  timeZone: string,
): FileEvent {
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
    isCancelled: find("STATUS")?.value.toUpperCase() === "CANCELLED",
    recurrence: readRecurrence(properties, from, replaced.get(find("UID")?.value ?? "") ?? []),
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
  const events: Property[][] = [];
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
      events.push(properties);
      if (events.length >= limit) break;
      properties = null;
    } else if (name === "END") depth -= 1;
    else if (depth === 1) properties?.push(property);
  }
  const replaced = listReplaced(events);
  return events.map((one) => readEvent(one, replaced, timeZone));
}
