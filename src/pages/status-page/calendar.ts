import { ICalCalendar, ICalEventStatus } from "ical-generator";
import { renderMarkdownAsText } from "../markdown.ts";
import type { MaintenanceView } from "./page-view.ts";
import { listNames } from "./page-view.ts";

export interface CalendarSource {
  readonly name: string;
  /** Full URL of the page, ending with a slash. */
  readonly url: string;
  readonly maintenance: readonly MaintenanceView[];
}

/** RFC 5545 allows no control character except tab; a line break is written as `\n`. */
function fitForCalendar(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they must be removed.
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "\ufffd")
  );
}

/** The library does not escape the name of a calendar. */
function escapeName(text: string): string {
  return text.replaceAll(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
}

/** RFC 5545 requires at least one component; every program accepts this one and shows nothing. */
const utc = [
  "BEGIN:VTIMEZONE",
  "TZID:Etc/UTC",
  "BEGIN:STANDARD",
  "DTSTART:19700101T000000",
  "TZOFFSETFROM:+0000",
  "TZOFFSETTO:+0000",
  "TZNAME:UTC",
  "END:STANDARD",
  "END:VTIMEZONE",
  "",
].join("\r\n");

/** Renders planned maintenance as a calendar for subscriptions. */
export function renderCalendar(source: CalendarSource): string {
  const { name, url, maintenance } = source;
  const calendar = new ICalCalendar({
    prodId: { company: "Vedette", product: "Status page", language: "EN" },
    name: escapeName(fitForCalendar(`${name}: maintenance`)),
    source: `${url}maintenance.ics`,
    ttl: 3600,
  });
  for (const plan of maintenance) {
    const { id, sequence, services, description, startsAt, endsAt, changedAt } = plan;
    const affected = listNames(services);
    const words = [
      description === null ? null : renderMarkdownAsText(description),
      affected === "" ? null : `Affects ${affected}`,
    ];
    calendar.createEvent({
      id,
      sequence,
      // Calendars ignore an event whose stamp is not newer than their copy.
      stamp: changedAt,
      lastModified: changedAt,
      start: startsAt,
      end: endsAt,
      summary: fitForCalendar(plan.name),
      description: fitForCalendar(words.filter((part) => part !== null).join("\n\n")),
      status: ICalEventStatus.CONFIRMED,
      url,
    });
  }
  const text = `${calendar.toString()}\r\n`;
  return maintenance.length === 0 ? text.replace("END:VCALENDAR", `${utc}END:VCALENDAR`) : text;
}
