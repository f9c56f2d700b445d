/** Times and layouts of the calendar, compared with a second computation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../test/support/properties.ts";
import {
  addDays,
  formatLength,
  layOutDay,
  listOfDay,
  listWeek,
  startOfDay,
  toDay,
} from "./days.ts";
import { isSameClock, toLocalText, toTimestampMs } from "./sentences.ts";

const zones = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Africa/Casablanca",
);
const minuteMs = 60_000;
const minutes = fc.integer({
  min: Date.UTC(2020, 0, 1) / minuteMs,
  max: Date.UTC(2035, 0, 1) / minuteMs,
});

test("a time is shown in the local time of its zone", () => {
  fc.assert(
    fc.property(zones, minutes, (zone, minute) => {
      const local = Temporal.Instant.fromEpochMilliseconds(minute * minuteMs)
        .toZonedDateTimeISO(zone)
        .toPlainDateTime();
      assert.equal(toLocalText(minute * minuteMs, zone), local.toString().slice(0, 16));
    }),
    { numRuns: propertyRuns },
  );
});

test("a local time means what calendars agree on, also when it is skipped or occurs twice", () => {
  const hours = fc.integer({ min: -30, max: 30 });
  fc.assert(
    fc.property(zones, minutes, hours, (zone, minute, nearby) => {
      // Most times are far from a clock change, so half of them are moved to the next one.
      const at = Temporal.Instant.fromEpochMilliseconds(minute * minuteMs).toZonedDateTimeISO(zone);
      const change = minute % 2 === 0 ? at.getTimeZoneTransition("next") : null;
      const local = (change ?? at)
        .toPlainDateTime()
        .add({ minutes: nearby * 7 })
        .round("minute");
      const text = local.toString().slice(0, 16);
      const expected = local.toZonedDateTime(zone, { disambiguation: "compatible" });
      assert.equal(toTimestampMs(text, zone), expected.epochMilliseconds, `${text} ${zone}`);
    }),
    { numRuns: Math.max(300, propertyRuns) },
  );
});

test("two zones have the same clock exactly if they show the same local time", () => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  fc.assert(
    fc.property(zones, minutes, (zone, minute) => {
      const at = Temporal.Instant.fromEpochMilliseconds(minute * minuteMs);
      const show = (name: string) => at.toZonedDateTimeISO(name).toPlainDateTime().toString();
      const isSame = isSameClock(zone, new Date(minute * minuteMs).toISOString());
      assert.equal(isSame, show(zone) === show(own));
    }),
    { numRuns: propertyRuns },
  );
});

const days = fc
  .integer({ min: 0, max: 20_000 })
  .map((count) => Temporal.PlainDate.from("1990-01-01").add({ days: count }));

test("days are added as in a calendar", () => {
  fc.assert(
    fc.property(days, fc.integer({ min: -800, max: 800 }), (day, count) => {
      assert.equal(addDays(day.toString(), count), day.add({ days: count }).toString());
      assert.equal(toDay(startOfDay(day.toString())), day.toString());
    }),
    { numRuns: propertyRuns },
  );
});

test("a week has seven days from Monday, among them the given one", () => {
  fc.assert(
    fc.property(days, (day) => {
      const week = listWeek(day.toString());
      const monday = day.subtract({ days: day.dayOfWeek - 1 });
      assert.deepEqual(
        week,
        Array.from({ length: 7 }, (_, count) => monday.add({ days: count }).toString()),
      );
    }),
    { numRuns: propertyRuns },
  );
});

const day = "2026-11-16";
const at = (minute: number) =>
  new Date(startOfDay(day).getTime() + minute * minuteMs).toISOString();
const occurrences = fc.array(
  fc
    .tuple(fc.integer({ min: -900, max: 1_600 }), fc.integer({ min: 1, max: 1_500 }))
    .map(([start, length]) => ({ startsAt: at(start), endsAt: at(start + length) })),
  { maxLength: 12 },
);

test("every occurrence of a day has a place, inside the day, and none covers another", () => {
  fc.assert(
    fc.property(occurrences, (items) => {
      const placed = layOutDay(items, day);
      assert.deepEqual(
        placed.map(({ item }) => item),
        listOfDay(items, day),
      );
      for (const { top, bottom, lane, lanes } of placed) {
        assert.ok(top >= 0 && bottom <= 1_440 && bottom - top >= 30, `${top} to ${bottom}`);
        assert.ok(lane >= 0 && lane < lanes, `lane ${lane} of ${lanes}`);
      }
      for (const [index, one] of placed.entries()) {
        for (const other of placed.slice(index + 1)) {
          const isBeside = one.lane !== other.lane;
          const isApart = one.bottom <= other.top || other.bottom <= one.top;
          assert.ok(isBeside || isApart, "they overlap in one lane");
        }
      }
    }),
    { numRuns: propertyRuns },
  );
});

test("a day has at most as many lanes as occurrences, and one for those that follow each other", () => {
  const hours = Array.from({ length: 12 }, (_, hour) => ({
    startsAt: at(hour * 120),
    endsAt: at(hour * 120 + 60),
  }));
  assert.deepEqual([...new Set(layOutDay(hours, day).map(({ lanes }) => lanes))], [1]);
  fc.assert(
    fc.property(occurrences, (items) => {
      const placed = layOutDay(items, day);
      assert.ok(placed.every(({ lanes }) => lanes <= placed.length));
    }),
    { numRuns: propertyRuns },
  );
});

test("a length is the sum of its two units, except for what is smaller", () => {
  const unitMs = new Map([
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1_000],
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 * 86_400_000 }), (lengthMs) => {
      const endsAt = new Date(Date.UTC(2026, 0, 1) + lengthMs).toISOString();
      const words = formatLength({ startsAt: "2026-01-01T00:00:00.000Z", endsAt }).split(" ");
      const units = words.filter((_, index) => index % 2 === 1);
      const sumMs = units.reduce(
        (sum, unit, index) => sum + Number(words[2 * index]) * (unitMs.get(unit) ?? Number.NaN),
        0,
      );
      const smallestMs = unitMs.get(units.at(-1) ?? "") ?? 0;
      const restMs = lengthMs - sumMs;
      assert.ok(restMs >= 0 && restMs < smallestMs, `${words.join(" ")} for ${lengthMs} ms`);
      assert.ok(units.length <= 2);
    }),
    { numRuns: propertyRuns },
  );
});
