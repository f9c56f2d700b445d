import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import { type FileEvent, listOccurrences, readEvents } from "./calendar-events.ts";

const settings = { timeZone: "Europe/Berlin", limit: 10 };

const calendarOf = (...lines: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");

const eventOf = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"];

function readAll(text: string, change: Partial<typeof settings> = {}): FileEvent[] {
  const events = readEvents(text, { ...settings, ...change });
  assert.ok(events !== null, "the text is not a calendar");
  return events;
}

function readOne(...lines: string[]): FileEvent {
  const [event, ...others] = readAll(calendarOf(...eventOf(...lines)));
  assert.ok(event !== undefined && others.length === 0);
  return event;
}

const toText = (ms: number) => (Number.isNaN(ms) ? "NaN" : new Date(ms).toISOString().slice(0, 16));
const spanOf = ({ fromMs, toMs }: FileEvent) => `${toText(fromMs)} ${toText(toMs)}`;

test("a text that does not begin as a calendar is none", () => {
  const event = eventOf("DTSTART:20260301T080000Z").join("\r\n");
  for (const text of ["", "\n", event, "BEGIN:VCARD\r\nEND:VCARD", " BEGIN:VCALENDAR", "<html>"]) {
    assert.equal(readEvents(text, settings), null, JSON.stringify(text));
  }
});

test("a calendar may begin with a byte order mark, and with lower-case names", () => {
  assert.deepEqual(readAll("\ufeffbegin:vcalendar \nend:vcalendar"), []);
  const text = "begin:vcalendar\nbegin:vevent\ndtstart:20260301T080000Z\nend:vevent\nend:vcalendar";
  assert.deepEqual(readAll(text).map(spanOf), ["2026-03-01T08:00 2026-03-01T08:00"]);
});

test("start and end are read in UTC, in a named zone or in the zone of the schedule", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["DTSTART:20260301T080000Z", "DTEND:20260301T170000Z", "2026-03-01T08:00 2026-03-01T17:00"],
    ["DTSTART:20260301T080000", "DTEND:20260301T170000", "2026-03-01T07:00 2026-03-01T16:00"],
    [
      "DTSTART;TZID=America/New_York:20260301T080000",
      "DTEND;TZID=America/New_York:20260301T170000",
      "2026-03-01T13:00 2026-03-01T22:00",
    ],
    [
      'DTSTART;X-NOTE="a:b;c";TZID="Asia/Tokyo":20260301T080000',
      "DTEND;tzid=Asia/Tokyo:20260301T170000",
      "2026-02-28T23:00 2026-03-01T08:00",
    ],
    // Outlook writes its own names.
    [
      "DTSTART;TZID=W. Europe Standard Time:20260701T080000",
      "DTEND;TZID=W. Europe Standard Time:20260701T170000",
      "2026-07-01T06:00 2026-07-01T15:00",
    ],
    [
      "DTSTART;VALUE=DATE:20260301",
      "DTEND;VALUE=DATE:20260303",
      "2026-02-28T23:00 2026-03-02T23:00",
    ],
  ];
  for (const [start, end, expected] of rows) assert.equal(spanOf(readOne(start, end)), expected);
});

test("a day without an end lasts until the next midnight of its zone", () => {
  const rows = {
    "20260301": "2026-02-28T23:00 2026-03-01T23:00",
    // The clocks go forward: the day has 23 hours.
    "20260329": "2026-03-28T23:00 2026-03-29T22:00",
    // The clocks go back: the day has 25 hours.
    "20261025": "2026-10-24T22:00 2026-10-25T23:00",
  };
  for (const [day, expected] of Object.entries(rows)) {
    assert.equal(spanOf(readOne(`DTSTART;VALUE=DATE:${day}`)), expected);
  }
});

test("a duration counts days by the calendar and hours by the clock", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["20260301T080000Z", "PT90M", "2026-03-01T09:30"],
    ["20260301T080000Z", "PT1H30M15S", "2026-03-01T09:30"],
    ["20260301T080000Z", "P1W", "2026-03-08T08:00"],
    ["20260301T080000Z", "+P1DT2H", "2026-03-02T10:00"],
    ["20260301T080000Z", "P0D", "2026-03-01T08:00"],
    ["20260328T090000", "P1D", "2026-03-29T07:00"],
    ["20260328T090000", "PT24H", "2026-03-29T08:00"],
    ["20261024T090000", "P1W", "2026-10-31T08:00"],
    ["20260301T080000Z", "-PT15M", "NaN"],
    ["20260301T080000Z", "1 day", "NaN"],
    ["20260301T080000Z", "P123456D", "NaN"],
    ["20260301T080000Z", "", "NaN"],
  ];
  for (const [start, duration, expected] of rows) {
    const { toMs } = readOne(`DTSTART:${start}`, `DURATION:${duration}`);
    assert.equal(toText(toMs), expected, `${start} ${duration}`);
  }
});

test("a time that cannot be read is not a number", () => {
  const faulty = ["", "tomorrow", "2026-03-01", "20261301", "20260301T2500", "20260301T256100Z"];
  for (const text of [...faulty, "20260301T080000+0100", "99999999T999999Z"]) {
    const { fromMs } = readOne(`DTSTART:${text}`, "DTEND:20260401T000000Z");
    assert.ok(Number.isNaN(fromMs), text);
  }
  assert.equal(spanOf(readOne("SUMMARY:No start")), "NaN NaN");
  const endless = readOne("DTSTART:20260301T080000Z", "DTEND:never");
  assert.equal(spanOf(endless), "2026-03-01T08:00 NaN");
});

test("cancelled events are marked", () => {
  assert.equal(readOne("DTSTART:20260301T080000Z", "STATUS:CONFIRMED").isCancelled, false);
  assert.ok(readOne("DTSTART:20260301T080000Z", "status:Cancelled").isCancelled);
});

const spring = { fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 4, 1) };

const listAll = (event: FileEvent) =>
  listOccurrences(event, spring)?.map(({ fromMs, toMs }) => `${toText(fromMs)} ${toText(toMs)}`) ??
  null;

test("an event recurs at the same local time, also if clocks change", () => {
  const event = readOne(
    "DTSTART;TZID=Europe/Berlin:20250103T080000",
    "DTEND;TZID=Europe/Berlin:20250103T170000",
    "RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20260410T060000Z",
    "EXDATE;TZID=Europe/Berlin:20260313T080000",
  );
  assert.deepEqual(listAll(event), [
    "2026-03-27T07:00 2026-03-27T16:00",
    "2026-04-10T06:00 2026-04-10T15:00",
  ]);
  const days = readOne("DTSTART;VALUE=DATE:20260328", "RRULE:FREQ=DAILY;UNTIL=20260329");
  assert.deepEqual(listAll(days), [
    "2026-03-27T23:00 2026-03-28T23:00",
    "2026-03-28T23:00 2026-03-29T22:00",
  ]);
});

test("an occurrence that began before the range and lasts into it counts", () => {
  const event = readOne("DTSTART:20260227T000000Z", "DURATION:P3D", "RRULE:FREQ=MONTHLY;COUNT=1");
  assert.deepEqual(listAll(event), ["2026-02-27T00:00 2026-03-02T00:00"]);
});

test("another event of the file replaces an occurrence", () => {
  const [all, moved] = readAll(
    calendarOf(
      ...eventOf("UID:a", "DTSTART:20260306T080000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;COUNT=2"),
      ...eventOf(
        ...["UID:a", "RECURRENCE-ID:20260313T080000Z"],
        ...["DTSTART:20260314T080000Z", "DURATION:PT1H"],
      ),
      ...eventOf("UID:b", "RECURRENCE-ID:20260306T080000Z", "DTSTART:20260307T080000Z"),
    ),
  );
  assert.ok(all !== undefined && moved !== undefined);
  assert.deepEqual(listAll(all), ["2026-03-06T08:00 2026-03-06T09:00"]);
  assert.deepEqual(listAll(moved), ["2026-03-14T08:00 2026-03-14T09:00"]);
});

test("what is not supported is null", () => {
  const start = ["DTSTART:20260306T080000Z", "DURATION:PT1H"];
  for (const lines of [
    ["RRULE:FREQ=HOURLY"],
    ["RDATE:20260302T080000Z"],
    ["RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY"],
    ["RRULE:FREQ=DAILY;UNTIL=soon"],
  ]) {
    assert.equal(listAll(readOne(...start, ...lines)), null, lines.join());
  }
  assert.equal(listAll(readOne("DTSTART:20260301", "DURATION:P32D", "RRULE:FREQ=YEARLY")), null);
});

test("the summary has no escapes and no line breaks, and at most 200 characters", () => {
  const rows: Readonly<Record<string, string>> = {
    "Holiday\\, with \\; and \\\\": "Holiday, with ; and \\",
    "two\\nlines\\Nmore": "two lines more",
    // An escaped backslash before an n is not a line break.
    "C:\\\\new": "C:\\new",
    "a: b; c": "a: b; c",
    ["x".repeat(300)]: "x".repeat(200),
  };
  for (const [written, expected] of Object.entries(rows)) {
    assert.equal(readOne(`SUMMARY:${written}`).summary, expected);
  }
  assert.equal(readOne("SUMMARY;LANGUAGE=en:Leave").summary, "Leave");
  assert.equal(readOne("DTSTART:20260301T080000Z").summary, "");
});

test("folded lines are one line, whatever ends them", () => {
  for (const end of ["\r\n", "\n"]) {
    const folded = ["SUMMARY:Summer", " holi", "\tday", "DTSTART:2026", " 0301T08", " 0000Z"];
    const text = calendarOf(...eventOf(...folded)).replaceAll("\r\n", end);
    const [event] = readAll(text);
    assert.equal(event?.summary, "Summerholiday");
    assert.equal(toText(event?.fromMs ?? 0), "2026-03-01T08:00");
  }
});

test("properties of alarms and of time zones are not those of the event", () => {
  const zone = ["BEGIN:VTIMEZONE", "TZID:X", "BEGIN:STANDARD", "DTSTART:19701025T030000"];
  const alarm = ["BEGIN:VALARM", "TRIGGER:-PT15M", "DURATION:PT5M", "SUMMARY:Beep", "END:VALARM"];
  const rule = ["RRULE:FREQ=YEARLY", "END:STANDARD", "END:VTIMEZONE"];
  const event = eventOf(...alarm, "DTSTART:20260301T080000Z", "SUMMARY:Leave", "DURATION:PT1H");
  const [found, ...others] = readAll(calendarOf(...zone, ...rule, ...event));
  assert.deepEqual(others, []);
  assert.deepEqual(found, {
    summary: "Leave",
    fromMs: Date.UTC(2026, 2, 1, 8),
    toMs: Date.UTC(2026, 2, 1, 9),
    isCancelled: false,
    recurrence: null,
  });
});

test("reading stops at the limit", () => {
  const events = Array.from({ length: 12 }, (_, day) =>
    eventOf(`DTSTART:202603${String(day + 1).padStart(2, "0")}`, `SUMMARY:${day}`),
  );
  const text = calendarOf(...events.flat());
  const read = readAll(text, { limit: 11 });
  assert.deepEqual(
    read.map(({ summary }) => summary),
    Array.from({ length: 11 }, (_, day) => String(day)),
  );
});

test("an event that is not closed, and lines that are no properties, are not read", () => {
  const noise = ["no colon", ":no name", "NÄME:x", "DTSTART", ""];
  const [event, ...others] = readAll(
    calendarOf(...eventOf(...noise, "DTSTART:20260301T080000Z"), "BEGIN:VEVENT", "SUMMARY:Cut off"),
  );
  assert.equal(others.length, 0);
  assert.equal(toText(event?.fromMs ?? 0), "2026-03-01T08:00");
});

test("any text is read without an exception, and gives bounded summaries", () => {
  const line = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.constantFrom("BEGIN:VEVENT", "END:VEVENT", "BEGIN:VALARM", "END:VALARM", "END:VCALENDAR"),
    fc
      .tuple(
        fc.constantFrom("DTSTART", "DTEND", "DURATION", "SUMMARY", "DTSTART;TZID=Asia/Tokyo"),
        fc.oneof(fc.constantFrom("20260301T080000Z", "20260301", "P1D"), fc.string()),
      )
      .map(([name, value]) => `${name}:${value}`),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      for (const event of readAll(calendarOf(...lines), { limit: 3 })) {
        assert.ok(event.summary.length <= 200);
        assert.equal(typeof event.fromMs, "number");
      }
    }),
  );
});
