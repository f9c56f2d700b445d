import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../test/support/properties.ts";
import { addDays, addMonths, findClockChange, listOfDay, startOfDay, toDay } from "./days.ts";
import type { MaintenanceWindow } from "./queries.ts";
import { formatCoverage, formatParts, formatSpan, formatTimes } from "./sentences.ts";
import {
  hidden,
  newValues,
  silencesNothing,
  toInput,
  toValues,
  type WindowValues,
} from "./values.ts";

const berlin = "Europe/Berlin";
const values: WindowValues = {
  ...newValues(Date.parse("2026-11-16T12:00:00Z"), undefined),
  name: " Disks ",
  timezone: berlin,
  startsAt: "2026-11-20T10:00",
};

function toWindow(input: Partial<MaintenanceWindow>): MaintenanceWindow {
  const made = toInput(values, null);
  return { ...made, id: 1, description: null, ...input } as MaintenanceWindow;
}

test("a new window starts at the next full hour, or at 02:00 on the selected day", () => {
  const atMs = Date.parse("2026-11-16T12:00:01Z");
  assert.match(newValues(atMs, undefined).startsAt, /:00$/);
  assert.equal(newValues(atMs, "2026-12-24").startsAt, "2026-12-24T02:00");
});

test("the form is converted to the request of the API", () => {
  const input = toInput({ ...values, tags: "db, web,,db ", minutes: 90 }, null);
  assert.ok(input);
  assert.equal(input.name, "Disks");
  assert.equal(input.description, null);
  assert.deepEqual(input.tags, ["db", "web"]);
  assert.equal(input.startsAt, "2026-11-20T09:00:00.000Z");
  assert.equal(input.endsAt, "2026-11-20T10:30:00.000Z");
  assert.deepEqual(
    [input.repeatUnit, input.repeatInterval, input.repeatEndsAt],
    [null, null, null],
  );
});

test("there is no request while a time or the duration is invalid", () => {
  assert.equal(toInput({ ...values, startsAt: "" }, null), null);
  assert.equal(toInput({ ...values, startsAt: "2026-13-01T00:00" }, null), null);
  for (const minutes of [0, -5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(toInput({ ...values, minutes }, null), null, String(minutes));
  }
  assert.equal(toInput({ ...values, repeatUnit: "DAY", repeatUntil: "never" }, null), null);
});

test("a series ends with its last day in the time zone of the window", () => {
  const repeated = { ...values, repeatUnit: "WEEK", repeatUntil: "2026-12-31" } as const;
  assert.equal(toInput(repeated, null)?.repeatEndsAt, "2026-12-31T22:59:59.999Z");
  const stored = toWindow({ repeatUnit: "WEEK", repeatEndsAt: "2026-12-31T12:00:00.000Z" });
  assert.equal(toInput(repeated, stored)?.repeatEndsAt, stored.repeatEndsAt, "as stored");
});

test("an unchanged start is sent as stored, although its local time occurs twice", () => {
  const stored = toWindow({ startsAt: "2026-10-25T01:30:00Z", endsAt: "2026-10-25T02:30:00Z" });
  const opened = toValues(stored);
  assert.equal(opened.startsAt, "2026-10-25T02:30");
  assert.equal(toInput(opened, stored)?.startsAt, "2026-10-25T01:30:00.000Z");
  const typed = toInput({ ...opened, startsAt: "2026-10-25T02:30" }, null);
  assert.equal(typed?.startsAt, "2026-10-25T00:30:00.000Z", "the first of the two");
});

test("opening a window and saving it changes nothing", () => {
  const zones = fc.constantFrom("UTC", berlin, "America/New_York", "Asia/Kathmandu");
  const minutes = fc.integer({ min: 28_000_000, max: 32_000_000 });
  fc.assert(
    fc.property(zones, minutes, fc.integer({ min: 1, max: 20_000 }), (timezone, minute, length) => {
      const startsAt = new Date(minute * 60_000).toISOString();
      const endsAt = new Date((minute + length) * 60_000).toISOString();
      const stored = toWindow({ timezone, startsAt, endsAt, statusPageVisibility: hidden });
      const { id: _, ...rest } = stored;
      assert.deepEqual({ ...toInput(toValues(stored), stored) }, { ...rest, repeatEndsAt: null });
    }),
    { numRuns: propertyRuns },
  );
});

test("days and months are added across the end of a year", () => {
  assert.equal(addDays("2026-12-31", 1), "2027-01-01");
  assert.equal(addDays("2028-03-01", -1), "2028-02-29");
  assert.equal(addMonths("2026-12-31", 1), "2027-01-01");
  assert.equal(addMonths("2026-01-31", -1), "2025-12-01");
  assert.equal(toDay(startOfDay("2026-11-16")), "2026-11-16");
});

test("the days of a month have no clock change where the zone has none", () => {
  const changes = Array.from({ length: 28 }, (_, index) =>
    findClockChange(addDays("2026-02-01", index)),
  );
  assert.deepEqual([...new Set(changes)], [0]);
});

test("an occurrence belongs to every day that it overlaps", () => {
  const at = (day: string, hour: number) => {
    const start = startOfDay(day);
    start.setHours(hour);
    return start.toISOString();
  };
  const night = { startsAt: at("2026-11-16", 22), endsAt: at("2026-11-17", 2) };
  const early = { startsAt: at("2026-11-16", 0), endsAt: at("2026-11-16", 1) };
  const find = (day: string) => listOfDay([night, early], day).length;
  assert.deepEqual(
    ["2026-11-15", "2026-11-16", "2026-11-17", "2026-11-18"].map(find),
    [0, 2, 1, 0],
  );
});

test("a span names the zones if the clocks change, and the end day only if it differs", () => {
  const times = formatTimes("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", berlin);
  assert.equal(times.length, 2);
  assert.notEqual(times[0], times[1], "02:30 and 02:30 differ by their zone");
  const short = formatSpan("2026-11-16T10:00:00Z", "2026-11-16T11:00:00Z", berlin);
  assert.match(short, /11:00 – 12:00$/);
  const long = formatSpan("2026-11-16T22:00:00Z", "2026-11-17T02:00:00Z", berlin);
  assert.match(long, /23:00 – .*17.*03:00$/);
});

test("the coverage names its parts, also deleted ones", () => {
  const coverage = {
    isEverything: false,
    checkCount: 1,
    tags: [{ tag: "db", checkCount: 1 }],
    groups: [{ id: 1, name: null, checkCount: 0 }],
    checks: [{ id: "c", name: "api" }],
  } as unknown as Parameters<typeof formatParts>[0];
  assert.equal(formatParts(coverage), "tag db (1 check), a deleted group, check api");
  assert.equal(formatCoverage(coverage), "1 check");
  assert.equal(formatCoverage({ ...coverage, isEverything: true }), "every check (1)");
});

test("a window with a tag, a group, a check or all alerts silences something", () => {
  const none = { silencesAll: false, tags: " , ", groupIds: [], checkIds: [] } as never;
  assert.equal(silencesNothing(none), true);
  for (const part of [
    { silencesAll: true },
    { tags: "db" },
    { groupIds: [1] },
    { checkIds: ["c"] },
  ])
    assert.equal(silencesNothing({ ...(none as object), ...part } as never), false);
});
