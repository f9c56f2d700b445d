import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  coversWeek,
  findHoursEndMs,
  findHoursStartMs,
  type HoursRange,
  type WeekHours,
  weekdays,
} from "./week-hours.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const nights = (timeZone: string, range: Partial<HoursRange> = {}): WeekHours => ({
  timeZone,
  ranges: [{ days: weekdays, from: "22:00", to: "07:00", ...range }],
});

const at = (text: string) => Temporal.ZonedDateTime.from(text).epochMilliseconds;
const endOf = (hours: WeekHours, text: string): string | null => {
  const endMs = findHoursEndMs(hours, at(text));
  return endMs === null ? null : new Date(endMs).toISOString();
};

const berlin = nights("Europe/Berlin");

test("hours include their start, exclude their end, and pass midnight", () => {
  assert.equal(endOf(berlin, "2026-11-18T21:59:59[Europe/Berlin]"), null);
  assert.equal(endOf(berlin, "2026-11-18T22:00[Europe/Berlin]"), "2026-11-19T06:00:00.000Z");
  assert.equal(endOf(berlin, "2026-11-19T06:59:59[Europe/Berlin]"), "2026-11-19T06:00:00.000Z");
  assert.equal(endOf(berlin, "2026-11-19T07:00[Europe/Berlin]"), null);
});

test("a range belongs to the day on which it begins", () => {
  const friday = nights("Europe/Berlin", { days: ["FRI"] });
  assert.equal(endOf(friday, "2026-11-20T23:00[Europe/Berlin]"), "2026-11-21T06:00:00.000Z");
  assert.equal(endOf(friday, "2026-11-21T03:00[Europe/Berlin]"), "2026-11-21T06:00:00.000Z");
  assert.equal(endOf(friday, "2026-11-21T23:00[Europe/Berlin]"), null);
});

test("ranges that overlap or touch end together", () => {
  const weekend: WeekHours = {
    ...berlin,
    ranges: [
      { days: ["FRI"], from: "18:00", to: "00:00" },
      { days: ["SAT", "SUN"], from: "00:00", to: "00:00" },
      { days: ["SUN"], from: "20:00", to: "06:00" },
    ],
  };
  assert.equal(endOf(weekend, "2026-11-20T19:00[Europe/Berlin]"), "2026-11-23T05:00:00.000Z");
});

test("clocks that go forward or back keep the local times of the ends", () => {
  const ends = "2026-03-29T07:00[Europe/Berlin]";
  assert.equal(findHoursEndMs(berlin, at("2026-03-28T22:00[Europe/Berlin]")), at(ends));
  assert.equal(at(ends) - at("2026-03-28T22:00[Europe/Berlin]"), 8 * hourMs);
  const later = "2026-10-25T07:00[Europe/Berlin]";
  assert.equal(findHoursEndMs(berlin, at("2026-10-24T22:00[Europe/Berlin]")), at(later));
  assert.equal(at(later) - at("2026-10-24T22:00[Europe/Berlin]"), 10 * hourMs);
});

test("an end that does not exist is the next existing minute, one that exists twice the first", () => {
  const toHalfPastTwo = nights("Europe/Berlin", { to: "02:30" });
  const skipped = endOf(toHalfPastTwo, "2026-03-29T01:00[Europe/Berlin]");
  assert.equal(skipped, "2026-03-29T01:00:00.000Z", "03:00 local");
  const twice = endOf(toHalfPastTwo, "2026-10-25T01:00[Europe/Berlin]");
  assert.equal(twice, "2026-10-25T00:30:00.000Z", "02:30 summer time");
});

const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"];
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom("00", "15", "30", "59"))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${minute}`);
const ranges = fc.array(
  fc.record({
    days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1, maxLength: 5 }),
    from: time,
    to: time,
  }),
  { minLength: 1, maxLength: 3 },
);
const someHours: fc.Arbitrary<WeekHours> = fc
  .record({ timeZone: fc.constantFrom(...zones), ranges })
  .filter((one) => !coversWeek(one.ranges));
const instant = fc
  .integer({ min: 0, max: 366 * 24 * 60 })
  .map((minutes) => Date.UTC(2026, 0, 1) + minutes * minuteMs);

test("the end is outside, and every time before it ends with it", () => {
  fc.assert(
    fc.property(
      someHours,
      instant,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (hours, ms, part) => {
        const endMs = findHoursEndMs(hours, ms);
        if (endMs === null) return;
        assert.ok(endMs > ms && endMs - ms <= 8 * 24 * hourMs);
        assert.equal(findHoursEndMs(hours, endMs), null);
        const between = Math.floor(ms + (endMs - ms - 1) * part);
        assert.equal(findHoursEndMs(hours, between), endMs);
      },
    ),
  );
});

test("away from changes of the clock, a time is inside as its local weekday and time say", () => {
  fc.assert(
    fc.property(someHours, instant, (hours, ms) => {
      const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(hours.timeZone);
      const offsets = [-2, -1, 0, 1].map((days) => local.add({ days }).offset);
      if (new Set(offsets).size > 1) return;
      const minuteOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
      const now = local.hour * 60 + local.minute;
      const today = weekdays[local.dayOfWeek - 1] ?? "MON";
      const yesterday = weekdays[(local.dayOfWeek + 5) % 7] ?? "MON";
      const isExpected = hours.ranges.some(({ days, from, to }) => {
        const [start, end] = [minuteOf(from), minuteOf(to)];
        const isOvernight = end <= start;
        const isToday = days.includes(today) && now >= start && (isOvernight || now < end);
        return isToday || (isOvernight && days.includes(yesterday) && now < end);
      });
      assert.equal(findHoursEndMs(hours, ms) !== null, isExpected);
    }),
  );
});

test("hours start at once inside, and otherwise with the next range, also across a clock change", () => {
  const office = {
    timeZone: "Europe/Berlin",
    ranges: [{ days: ["MON", "FRI"] as const, from: "09:00", to: "17:00" }],
  };
  const startAt = (time: string) =>
    new Date(findHoursStartMs(office, Date.parse(time))).toISOString();
  assert.equal(startAt("2026-11-16T08:00:00Z"), "2026-11-16T08:00:00.000Z", "Monday 09:00");
  assert.equal(startAt("2026-11-16T07:59:00Z"), "2026-11-16T08:00:00.000Z");
  assert.equal(startAt("2026-11-16T16:00:00Z"), "2026-11-20T08:00:00.000Z", "the end is outside");
  assert.equal(startAt("2026-03-27T16:30:00Z"), "2026-03-30T07:00:00.000Z", "in summer time");
});
