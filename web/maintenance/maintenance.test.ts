import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLength, layOutDay, listMonth, listWeek } from "./days.ts";
import { parseCalendarSearch } from "./search.ts";
import { formatCoverage, formatRule, toLocalText, toTimestampMs } from "./sentences.ts";

const berlin = "Europe/Berlin";
const show = (text: string, zone: string) => new Date(toTimestampMs(text, zone)).toISOString();

test("a local time is converted by the same rule as on the server", () => {
  assert.equal(show("2026-01-15T02:30", berlin), "2026-01-15T01:30:00.000Z");
  assert.equal(show("2026-07-15T02:30", berlin), "2026-07-15T00:30:00.000Z");
  // Skipped times move forward by the length of the gap.
  assert.equal(show("2026-03-29T02:30", berlin), "2026-03-29T01:30:00.000Z");
  assert.equal(toLocalText(toTimestampMs("2026-03-29T02:30", berlin), berlin), "2026-03-29T03:30");
  // A repeated time means its first occurrence.
  assert.equal(show("2026-10-25T02:30", berlin), "2026-10-25T00:30:00.000Z");
  assert.equal(show("2026-10-25T03:00", berlin), "2026-10-25T02:00:00.000Z");
  assert.equal(show("2026-10-04T02:15", "Australia/Lord_Howe"), "2026-10-03T15:45:00.000Z");
  assert.ok(Number.isNaN(toTimestampMs("", berlin)));
});

test("a schedule is described in plain English", () => {
  const rule = {
    startsAt: "2026-03-22T01:30:00Z",
    endsAt: "2026-03-22T03:00:00Z",
    timezone: berlin,
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
  };
  assert.match(formatRule(rule), /^Once, on Sun.* at 02:30 \(Europe\/Berlin\), for 1 h 30 min$/);
  assert.match(formatRule({ ...rule, repeatUnit: "DAY" }), /^Every day at 02:30/);
  assert.match(
    formatRule({ ...rule, repeatUnit: "WEEK", repeatInterval: 2 }),
    /^Every 2 weeks on Sunday at 02:30/,
  );
  assert.match(
    formatRule({ ...rule, repeatUnit: "MONTH", repeatEndsAt: "2027-01-01T00:00:00Z" }),
    /^Every month on the 22nd at .*, until Fri/,
  );
  const last = { ...rule, repeatUnit: "MONTH" as const, startsAt: "2026-01-31T01:30:00Z" };
  assert.match(formatRule(last), /on the 31st, or the last day of a shorter month at/);
});

test("a window without tags, groups and checks silences nothing", () => {
  const none = { isEverything: false, checkCount: 0, tags: [], groups: [], checks: [] };
  assert.equal(formatCoverage(none), "nothing");
  assert.equal(formatCoverage({ ...none, isEverything: true, checkCount: 7 }), "every check (7)");
  assert.equal(
    formatCoverage({ ...none, tags: [{ tag: "x", checkCount: 1 }], checkCount: 1 }),
    "1 check",
  );
});

test("a month consists of whole weeks from Monday, and a week of seven days", () => {
  const month = listMonth("2026-11-16");
  assert.deepEqual([month[0], month.at(-1), month.length], ["2026-10-26", "2026-12-06", 42]);
  assert.equal(listMonth("2027-02-10").length, 35);
  assert.deepEqual(listWeek("2026-11-16").at(0), "2026-11-16");
  assert.deepEqual(listWeek("2026-11-15").at(0), "2026-11-09");
});

test("overlapping occurrences are laid out side by side", () => {
  const at = (hour: number) => new Date(2026, 10, 16, hour).toISOString();
  const items = [
    { startsAt: at(1), endsAt: at(4) },
    { startsAt: at(2), endsAt: at(3) },
    { startsAt: at(5), endsAt: at(30) },
  ];
  const placed = layOutDay(items, "2026-11-16");
  assert.deepEqual(
    placed.map(({ top, bottom, lane, lanes }) => [top, bottom, lane, lanes]),
    [
      [60, 240, 0, 2],
      [120, 180, 1, 2],
      [300, 1440, 0, 2],
    ],
  );
  assert.equal(layOutDay(items, "2026-11-18").length, 0);
  assert.equal(formatLength({ startsAt: at(0), endsAt: at(49) }), "2 d 1 h");
});

test("an invalid address shows the current month", () => {
  assert.deepEqual(parseCalendarSearch({ view: "year", date: "2026-13-01" }), {});
  assert.deepEqual(parseCalendarSearch({ view: "week", date: "2026-03-29" }), {
    view: "week",
    date: "2026-03-29",
  });
});
