import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import {
  dayMs,
  hourMs,
  readAmount,
  readDuration,
  readTimePoint,
  startOfDay,
  startOfMonth,
  startOfWeek,
  startOfYear,
} from "./moment.ts";

/** A Thursday. */
const nowMs = Date.parse("2026-11-19T15:30:00Z");

/** Reads the words at an index; `null` if there is no time. */
function read(text: string, { at = 0, now = nowMs } = {}) {
  const found = readTimePoint(text.split(" "), at, now);
  if (found === null) return null;
  const [from = "", to = ""] = [found.fromMs, found.toMs].map((ms) => new Date(ms).toISOString());
  return found.isClockTime ? from.slice(0, 16) : `${from.slice(0, 10)} ${to.slice(0, 10)}`;
}

const times = fc.integer({ min: Date.UTC(1969, 0, 1), max: Date.UTC(2100, 0, 1) });

test("starts of days, weeks, months and years agree with the calendar", () => {
  fc.assert(
    fc.property(times, fc.integer({ min: -30, max: 30 }), (atMs, offset) => {
      const day = Temporal.Instant.fromEpochMilliseconds(atMs)
        .toZonedDateTimeISO("UTC")
        .startOfDay();
      const toMs = (date: Temporal.ZonedDateTime) => date.epochMilliseconds;
      assert.equal(startOfDay(atMs), toMs(day));
      assert.equal(startOfWeek(atMs), toMs(day.subtract({ days: day.dayOfWeek - 1 })));
      assert.equal(startOfMonth(atMs, offset), toMs(day.with({ day: 1 }).add({ months: offset })));
      const year = day.with({ month: 1, day: 1 }).add({ years: offset });
      assert.equal(startOfYear(atMs, offset), toMs(year));
    }),
    { numRuns: propertyRuns },
  );
});

test("a date is read in every spelling", () => {
  const day = "2026-11-12 2026-11-13";
  for (const text of [
    "2026-11-12",
    "12.11.2026",
    "12/11/2026",
    "12 november 2026",
    "12th of november 2026",
    "nov 12th 2026",
    "november 12",
    "12 nov",
  ]) {
    assert.equal(read(text), day, text);
  }
});

test("any date is read back from each of its spellings", () => {
  const format = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30_000 }), (days) => {
      const fromMs = days * dayMs;
      const iso = new Date(fromMs).toISOString().slice(0, 10);
      const [year, month, day] = iso.split("-").map(Number);
      const name = format.format(fromMs).toLowerCase();
      for (const text of [
        iso,
        `${day}.${month}.${year}`,
        `${day} ${name} ${year}`,
        `${name.slice(0, 3)} ${day} ${year}`,
      ]) {
        const found = readTimePoint(text.split(" "), 0, nowMs);
        assert.deepEqual([found?.fromMs, found?.toMs], [fromMs, fromMs + dayMs], text);
      }
    }),
    { numRuns: propertyRuns },
  );
});

test("days that do not exist are no dates", () => {
  for (const text of [
    "2026-02-29",
    "30.2.2026",
    "31 april 2026",
    "2026-13-01",
    "0.1.2026",
    "1969-12-31",
    "32 january",
  ]) {
    assert.equal(
      readTimePoint([...text.split(" "), "x"], 0, nowMs)?.isClockTime ?? true,
      true,
      text,
    );
  }
});

test("a date without a year is the last one that has begun", () => {
  assert.equal(read("19 november"), "2026-11-19 2026-11-20", "today");
  assert.equal(read("20 november"), "2025-11-20 2025-11-21");
  assert.equal(read("29 february"), "2024-02-29 2024-03-01");
  const leap = Date.parse("2028-01-10T00:00:00Z");
  assert.equal(read("29 february", { now: leap }), "2024-02-29 2024-03-01", "not yet this year");
});

test("a weekday is the last one that has begun, and after `last` one that is over", () => {
  assert.equal(read("thursday"), "2026-11-19 2026-11-20", "today");
  assert.equal(read("friday"), "2026-11-13 2026-11-14");
  assert.equal(read("mondays"), "2026-11-16 2026-11-17");
  assert.equal(read("last thursday", { at: 1 }), "2026-11-12 2026-11-13");
  assert.equal(read("last tuesday", { at: 1 }), "2026-11-17 2026-11-18");
});

test("a weekday always has that name, has begun, and is less than a week ago", () => {
  const names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  fc.assert(
    fc.property(times, fc.nat(6), fc.boolean(), (now, index, isLast) => {
      const words = isLast ? ["last", names[index] ?? ""] : [names[index] ?? ""];
      const found = readTimePoint(words, words.length - 1, now);
      assert.ok(found);
      assert.equal((new Date(found.fromMs).getUTCDay() + 6) % 7, index);
      const ageMs = now - (isLast ? found.toMs : found.fromMs);
      assert.ok(ageMs >= 0 && ageMs < 7 * dayMs, `${ageMs / hourMs} h`);
    }),
    { numRuns: propertyRuns },
  );
});

test("a month is this one or the last one of its name", () => {
  assert.equal(read("november"), "2026-11-01 2026-12-01");
  assert.equal(read("december"), "2025-12-01 2026-01-01");
  assert.equal(read("december 2024"), "2024-12-01 2025-01-01");
  assert.equal(read("sept"), "2026-09-01 2026-10-01");
});

test("words that are months and weekdays too need a word before them", () => {
  const needs = (text: string) => readTimePoint(text.split(" "), 0, nowMs)?.needsOpener ?? false;
  assert.deepEqual(["may", "march", "mar", "sun", "sat"].map(needs), [
    true,
    true,
    true,
    true,
    true,
  ]);
  assert.deepEqual(["may 2026", "october", "sunday", "april"].map(needs), [
    false,
    false,
    false,
    false,
  ]);
});

test("a clock time is the last one that has passed, or that of a given day", () => {
  assert.equal(read("14:00"), "2026-11-19T14:00");
  assert.equal(read("16:00"), "2026-11-18T16:00");
  assert.equal(read("2pm"), "2026-11-19T14:00");
  assert.equal(read("2 pm utc"), "2026-11-19T14:00");
  assert.equal(read("noon"), "2026-11-19T12:00");
  assert.equal(read("midnight"), "2026-11-19T00:00");
  assert.equal(read("friday at 9"), "2026-11-13T09:00");
  assert.equal(read("12 november 23:59"), "2026-11-12T23:59");
  assert.equal(read("2026-11-12t14:05z"), "2026-11-12T14:05");
});

test("noon and midnight are 12 pm and 12 am", () => {
  assert.equal(read("12pm"), "2026-11-19T12:00");
  assert.equal(read("12am"), "2026-11-19T00:00");
  for (const text of ["0am", "13pm", "24:00", "9:60", "25"]) assert.equal(read(text), null, text);
});

test("a number with a unit is no clock time", () => {
  for (const text of ["5 minutes", "20 %", "20 percent", "300 ms", "3 days"]) {
    assert.equal(read(text), null, text);
  }
  assert.equal(read("9 h"), "2026-11-19T09:00", "the only unit that is one");
});

test("a bare number is marked, because it is a time only after `at`", () => {
  assert.equal(readTimePoint(["12"], 0, nowMs)?.isBareNumber, true);
  assert.equal(readTimePoint(["12:00"], 0, nowMs)?.isBareNumber, false);
});

test("amounts are read as words and as numbers", () => {
  const amounts: Readonly<Record<string, readonly [number, number] | null>> = {
    "3 hours": [3, 1],
    "three hours": [3, 1],
    "1.5 hours": [1.5, 1],
    "a couple of hours": [2, 3],
    "half an hour": [0.5, 2],
    "some hours": null,
  };
  for (const [text, expected] of Object.entries(amounts)) {
    const found = readAmount(text.split(" "), 0);
    assert.deepEqual(found && [found.value, found.next], expected, text);
  }
});

test("a duration has its unit, and is limited to ten years", () => {
  const duration = (text: string) => readDuration(text.split(" "), 0);
  assert.deepEqual(
    [duration("90 seconds")?.ms, duration("90 seconds")?.label],
    [90_000, "90 seconds"],
  );
  assert.equal(duration("half an hour")?.ms, hourMs / 2);
  assert.equal(duration("1 week")?.label, "1 week");
  assert.equal(duration("two wks")?.ms, 14 * dayMs);
  for (const text of ["0 minutes", "11 years", "3 parsecs", "hour"]) {
    assert.equal(duration(text), null, text);
  }
});
