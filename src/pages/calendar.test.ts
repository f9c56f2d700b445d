import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/properties.ts";
import { type CalendarEvent, renderEvents } from "./calendar.ts";

const event: CalendarEvent = {
  id: "1@vedette",
  changedAt: new Date("2026-11-01T00:00:00Z"),
  startsAt: new Date("2026-11-16T09:00:00Z"),
  endsAt: new Date("2026-11-16T17:00:00Z"),
  name: "On call",
  url: "https://status.example.com/on-call",
};

function render(events: readonly CalendarEvent[], name = "Ops", source: string | null = null) {
  return renderEvents({ product: "On call", name, source, events });
}

/** Lines without their folding. */
const linesOf = (text: string) => text.replaceAll(/\r\n[ \t]/g, "").split("\r\n");

/** Values of a property in the order of the calendar. */
function valuesOf(text: string, name: string): string[] {
  return linesOf(text).flatMap((line) => {
    const [, value] = new RegExp(`^${name}(?:;[^:]*)?:(.*)$`, "s").exec(line) ?? [];
    return value === undefined ? [] : [value];
  });
}

const readText = (text: string) =>
  text.replaceAll(/\\(.)/g, (_, sign: string) => (/n/i.test(sign) ? "\n" : sign));

test("an event has its times in UTC, its stamp and its sequence", () => {
  const text = render([{ ...event, sequence: 3, description: "Primary" }]);
  assert.ok(text.startsWith("BEGIN:VCALENDAR\r\n") && text.endsWith("END:VCALENDAR\r\n"));
  const read = (name: string) => valuesOf(text, name)[0];
  assert.deepEqual([read("DTSTART"), read("DTEND")], ["20261116T090000Z", "20261116T170000Z"]);
  assert.deepEqual([read("DTSTAMP"), read("LAST-MODIFIED")], Array(2).fill("20261101T000000Z"));
  assert.deepEqual([read("UID"), read("SEQUENCE")], ["1@vedette", "3"]);
  assert.deepEqual([read("SUMMARY"), read("DESCRIPTION")], ["On call", "Primary"]);
  assert.deepEqual([read("STATUS"), read("URL")], ["CONFIRMED", event.url]);
});

test("a calendar without events has a component, as the format requires", () => {
  const text = render([]);
  assert.deepEqual(valuesOf(text, "BEGIN"), ["VCALENDAR", "VTIMEZONE", "STANDARD"]);
  assert.deepEqual(valuesOf(text, "END"), ["STANDARD", "VTIMEZONE", "VCALENDAR"]);
});

test("a secret address of a calendar is not in it", () => {
  const address = "https://status.example.com/v1/on-call/calendars/secret";
  assert.ok(!render([event]).includes("secret"));
  assert.ok(linesOf(render([event], "Ops", address)).some((line) => line.endsWith(address)));
});

test("names are escaped and read back, and cannot add lines", () => {
  const hostile = "a,b;c\\d\nEND:VEVENT\r\nATTACH:https://evil.example\u0000\u0007";
  const text = render([{ ...event, name: hostile, description: hostile }], hostile);
  assert.deepEqual(valuesOf(text, "ATTACH"), []);
  assert.equal(valuesOf(text, "END").filter((name) => name === "VEVENT").length, 1);
  const expected = "a,b;c\\d\nEND:VEVENT\nATTACH:https://evil.example\ufffd\ufffd";
  for (const name of ["SUMMARY", "DESCRIPTION", "X-WR-CALNAME"]) {
    assert.equal(readText(valuesOf(text, name)[0] ?? ""), expected, name);
  }
});

test("any name is one property on lines of at most 75 bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 120 }), (name) => {
      const text = render([{ ...event, name }]);
      for (const line of text.split("\r\n")) {
        assert.ok(Buffer.byteLength(line) <= 75, line);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
        assert.doesNotMatch(line, /[\u0000-\u0008\u000a-\u001f\u007f]/);
      }
      assert.equal(valuesOf(text, "SUMMARY").length, 1);
      assert.equal(valuesOf(text, "BEGIN").length, 2);
    }),
  );
});
