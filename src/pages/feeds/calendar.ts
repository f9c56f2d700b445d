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

/** Planned maintenance, for a calendar that looks again now and then. */
export function renderCalendar(source: CalendarSource): string {
  const { name, url, maintenance } = source;
  const calendar = new ICalCalendar({
    prodId: { company: "Vedette", product: "Status page", language: "EN" },
    name: escapeName(fitForCalendar(`${name}: maintenance`)),
    source: `${url}maintenance.ics`,
    ttl: 3600,
  });
  for (const { id, services, description, startsAt, endsAt, changedAt, ...about } of maintenance) {
    const affected = services.map((service) => service.name).join(", ");
    const words = [
      description === null ? null : renderMarkdownAsText(description),
      affected === "" ? null : `Affects ${affected}`,
    ];
    calendar.createEvent({
      id: `${id}@vedette`,
      // What has no newer stamp than the copy in a calendar is not looked at there.
      stamp: changedAt,
      lastModified: changedAt,
      start: startsAt,
      end: endsAt,
      summary: fitForCalendar(about.name),
      description: fitForCalendar(words.filter((part) => part !== null).join("\n\n")),
      status: ICalEventStatus.CONFIRMED,
      url,
    });
  }
  return `${calendar.toString()}\r\n`;
}
