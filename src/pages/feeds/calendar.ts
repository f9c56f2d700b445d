import { ICalCalendar, ICalEventStatus } from "ical-generator";
import { renderMarkdownAsText } from "../markdown.ts";
import type { MaintenanceView } from "../status-page/page-view.ts";

export interface CalendarSource {
  readonly name: string;
  /** The page's full address, with a slash at its end. */
  readonly url: string;
  readonly maintenance: readonly MaintenanceView[];
}

/** RFC 5545 allows no control character but the tab; a line break is written as `\n`. */
function fitForCalendar(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not get through.
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "\ufffd")
  );
}

/** The library writes a calendar's name as it is given, without the escapes that it makes elsewhere. */
function escapeName(text: string): string {
  return text.replaceAll(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
}

/** RFC 5545 wants at least one component, and this one every program knows and nobody sees. */
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

/** Planned maintenance, for a calendar that looks again now and then. */
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
    const affected = services.map((service) => service.name).join(", ");
    const words = [
      description === null ? null : renderMarkdownAsText(description),
      affected === "" ? null : `Affects ${affected}`,
    ];
    calendar.createEvent({
      id,
      sequence,
      // What has no newer stamp than the copy in a calendar is not looked at there.
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
