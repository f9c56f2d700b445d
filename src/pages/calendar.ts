import { ICalCalendar, ICalEventStatus } from "ical-generator";

export interface CalendarEvent {
  readonly id: string;
  readonly sequence?: number;
  /**
   * Time of the last change. Calendar programs ignore an event that is not newer than their copy.
   */
  readonly changedAt: Date;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly name: string;
  readonly description?: string;
  readonly url: string;
}

interface Calendar {
  readonly product: string;
  readonly name: string;
  /** URL of the calendar itself; `null` if the URL is secret. */
  readonly source: string | null;
  readonly events: readonly CalendarEvent[];
}

/** Replaces control characters that RFC 5545 forbids: all except tab and line feed. */
function fitForCalendar(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they must be removed.
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "\ufffd")
  );
}

/** Escapes the name of a calendar, because the library does not escape it. */
function escapeName(text: string): string {
  return text.replaceAll(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
}

/**
 * Time zone component for empty calendars, because RFC 5545 requires at least one component.
 * Calendar programs accept this component and show nothing for it.
 */
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

/** Renders a calendar to which calendar programs can subscribe. */
export function renderEvents({ product, name, source, events }: Calendar): string {
  const calendar = new ICalCalendar({
    prodId: { company: "Vedette", product, language: "EN" },
    name: escapeName(fitForCalendar(name)),
    ...(source !== null && { source }),
    ttl: 3600,
  });
  for (const event of events) {
    const { id, sequence = 0, changedAt, startsAt, endsAt, description, url } = event;
    calendar.createEvent({
      id,
      sequence,
      stamp: changedAt,
      lastModified: changedAt,
      start: startsAt,
      end: endsAt,
      summary: fitForCalendar(event.name),
      ...(description !== undefined && { description: fitForCalendar(description) }),
      status: ICalEventStatus.CONFIRMED,
      url,
    });
  }
  const text = `${calendar.toString()}\r\n`;
  return events.length === 0 ? text.replace("END:VCALENDAR", `${utc}END:VCALENDAR`) : text;
}
