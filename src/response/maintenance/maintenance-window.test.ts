import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import {
  appliesTo,
  findOccurrence,
  findWindowFault,
  isInWindow,
  type Labels,
  type MaintenanceWindow,
  nextOccurrence,
} from "./maintenance-window.ts";
import { maxTimeMs, type RepeatUnit } from "./recurrence.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const at = (text: string) => Date.parse(text);
const show = (atMs: number | undefined) =>
  atMs === undefined ? null : new Date(atMs).toISOString().replace(":00.000Z", "Z");

function build(
  startsAt: string,
  repeatUnit: RepeatUnit | null,
  rest: Partial<MaintenanceWindow> = {},
): MaintenanceWindow {
  return {
    startsAtMs: at(startsAt),
    endsAtMs: at(startsAt) + hourMs,
    timeZone: "UTC",
    repeatInterval: 1,
    repeatUnit,
    repeatEndsAtMs: null,
    tags: [],
    pauseAllChecks: false,
    silenceAllAlerts: false,
    silenceAlertsTags: [],
    ...rest,
  };
}

function listStarts(window: MaintenanceWindow, count: number): (string | null)[] {
  const starts: (string | null)[] = [];
  let afterMs = window.startsAtMs - 1;
  for (let index = 0; index < count; index += 1) {
    const next = nextOccurrence(window, afterMs);
    if (next === null) return [...starts, null];
    starts.push(show(next.startsAtMs));
    afterMs = next.startsAtMs;
  }
  return starts;
}

test("a window includes its start and excludes its end", () => {
  const window = build("2026-01-10T10:00Z", null);
  assert.equal(isInWindow(window, window.startsAtMs - 1), false);
  assert.equal(isInWindow(window, window.startsAtMs), true);
  assert.equal(isInWindow(window, window.endsAtMs - 1), true);
  assert.equal(isInWindow(window, window.endsAtMs), false);
  assert.deepEqual(listStarts(window, 3), ["2026-01-10T10:00Z", null]);
});

test("a daily window keeps its local time across DST changes", () => {
  const berlin = build("2026-03-27T19:00Z", "DAY", { timeZone: "Europe/Berlin" });
  assert.deepEqual(listStarts(berlin, 3), [
    "2026-03-27T19:00Z",
    "2026-03-28T19:00Z",
    "2026-03-29T18:00Z",
  ]);
});

test("a skipped local start moves forward, and the window keeps its duration", () => {
  const berlin = build("2026-03-28T01:30Z", "DAY", { timeZone: "Europe/Berlin" });
  assert.deepEqual(listStarts(berlin, 3), [
    "2026-03-28T01:30Z",
    "2026-03-29T01:30Z",
    "2026-03-30T00:30Z",
  ]);
  const leapt = nextOccurrence(berlin, at("2026-03-29T00:00Z"));
  assert.equal(leapt && leapt.endsAtMs - leapt.startsAtMs, hourMs);
});

test("an ambiguous local start means the first of the two", () => {
  const newYork = build("2026-10-31T05:30Z", "DAY", { timeZone: "America/New_York" });
  assert.deepEqual(listStarts(newYork, 3), [
    "2026-10-31T05:30Z",
    "2026-11-01T05:30Z",
    "2026-11-02T06:30Z",
  ]);
});

test("a first occurrence in the second of two ambiguous hours stays there", () => {
  const berlin = build("2026-10-25T01:30Z", "DAY", { timeZone: "Europe/Berlin" });
  assert.equal(isInWindow(berlin, at("2026-10-25T00:45Z")), false);
  assert.equal(isInWindow(berlin, at("2026-10-25T01:45Z")), true);
});

test("a monthly window on the last days of a long month uses the last day of a short one", () => {
  assert.deepEqual(listStarts(build("2026-01-31T10:00Z", "MONTH"), 5), [
    "2026-01-31T10:00Z",
    "2026-02-28T10:00Z",
    "2026-03-31T10:00Z",
    "2026-04-30T10:00Z",
    "2026-05-31T10:00Z",
  ]);
  const leap = build("2028-02-29T10:00Z", "MONTH", { repeatInterval: 12 });
  assert.deepEqual(listStarts(leap, 5), [
    "2028-02-29T10:00Z",
    "2029-02-28T10:00Z",
    "2030-02-28T10:00Z",
    "2031-02-28T10:00Z",
    "2032-02-29T10:00Z",
  ]);
});

test("the day of a monthly window is the day in its zone, not in UTC", () => {
  const kolkata = build("2026-01-30T20:00Z", "MONTH", { timeZone: "Asia/Kolkata" });
  assert.equal(listStarts(kolkata, 2)[1], "2026-02-27T20:00Z");
});

test("no occurrence starts after the end of the recurrence", () => {
  const window = build("2026-01-10T10:00Z", "WEEK", { repeatEndsAtMs: at("2026-01-24T10:00Z") });
  assert.equal(listStarts(window, 9).at(-2), "2026-01-24T10:00Z");
  assert.equal(isInWindow(window, at("2026-01-24T10:30Z")), true, "a started occurrence continues");
  assert.equal(isInWindow(window, at("2026-01-31T10:30Z")), false);
  assert.equal(nextOccurrence(window, at("2027-01-01T00:00Z")), null);
});

test("a window longer than its period never ends", () => {
  const window = build("2026-01-01T00:00Z", "DAY", { endsAtMs: at("2026-01-03T12:00Z") });
  for (const hours of [0, 47, 61, 999_999]) {
    assert.equal(isInWindow(window, window.startsAtMs + hours * hourMs), true);
  }
});

test("the year 9999 is computed directly, and nothing follows it", () => {
  const window = build("1970-01-31T10:00Z", "MONTH", { timeZone: "Europe/Berlin" });
  assert.equal(isInWindow(window, at("9999-12-31T10:30Z")), true);
  assert.equal(nextOccurrence(window, at("9999-12-31T10:00Z")), null);
  assert.equal(nextOccurrence(window, maxTimeMs), null);
  assert.equal(nextOccurrence(window, 8.64e15), null);
  const late = build("9999-12-31T23:00Z", "DAY", { endsAtMs: maxTimeMs });
  assert.deepEqual(listStarts(late, 2), ["9999-12-31T23:00Z", null]);
});

test("sparse rules are as fast as dense ones", () => {
  const sparse = build("2000-02-29T10:00Z", "MONTH", { repeatInterval: 10_000 });
  assert.equal(
    show(nextOccurrence(sparse, at("2026-01-01T00:00Z"))?.startsAtMs),
    "2833-06-29T10:00Z",
  );
  assert.equal(findOccurrence(sparse, at("2833-06-01T00:00Z"))?.startsAtMs, sparse.startsAtMs);
});

test("an invalid stored rule does not recur", () => {
  for (const repeatInterval of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    const window = build("2026-01-10T10:00Z", "DAY", { repeatInterval });
    assert.deepEqual(listStarts(window, 2), ["2026-01-10T10:00Z", null]);
    assert.equal(isInWindow(window, at("2026-01-11T10:30Z")), false);
  }
  const nowhere = build("2026-01-10T10:00Z", "DAY", { timeZone: "Moon/Base" });
  assert.equal(isInWindow(nowhere, at("2026-01-10T10:30Z")), true);
  assert.equal(isInWindow(nowhere, at("2026-01-11T10:30Z")), false);
  assert.equal(isInWindow(build("2026-01-10T10:00Z", "DAY"), Number.NaN), false);
});

test("a unit without an interval means an interval of one", () => {
  const window = build("2026-01-10T10:00Z", "WEEK", { repeatInterval: null });
  assert.equal(listStarts(window, 2)[1], "2026-01-17T10:00Z");
});

test("if a zone skipped a day, the window moves to the next day", () => {
  const apia = build("2011-12-28T20:00Z", "DAY", { timeZone: "Pacific/Apia" });
  // Apia skipped 30 December 2011.
  assert.deepEqual(listStarts(apia, 4), [
    "2011-12-28T20:00Z",
    "2011-12-29T20:00Z",
    "2011-12-30T20:00Z",
    "2011-12-31T20:00Z",
  ]);
});

test("each invalid field of a window is named", () => {
  const sound = build("2026-01-10T10:00Z", "DAY", { repeatEndsAtMs: at("2026-01-10T10:00Z") });
  const faults: [string | null, Partial<MaintenanceWindow>][] = [
    [null, {}],
    [null, { repeatInterval: null, repeatUnit: null, repeatEndsAtMs: null }],
    ["starts-at-out-of-range", { startsAtMs: Number.NaN }],
    ["starts-at-out-of-range", { startsAtMs: -1 }],
    ["ends-at-out-of-range", { endsAtMs: maxTimeMs + 1 }],
    ["ends-before-it-starts", { endsAtMs: sound.startsAtMs }],
    ["repeat-interval-out-of-range", { repeatInterval: 0 }],
    ["repeat-interval-out-of-range", { repeatInterval: 1.5 }],
    ["repeat-interval-out-of-range", { repeatInterval: 10_001 }],
    ["repeat-ends-before-it-starts", { repeatEndsAtMs: sound.startsAtMs - 1 }],
    ["repeat-ends-before-it-starts", { repeatEndsAtMs: Number.NaN }],
    ...["", "Moon/Base", "Europe/Berlin\0", "+25:00", "../etc", "x".repeat(9_999)].map(
      (timeZone): [string, Partial<MaintenanceWindow>] => ["time-zone-unknown", { timeZone }],
    ),
  ];
  for (const [fault, rest] of faults) assert.equal(findWindowFault({ ...sound, ...rest }), fault);
});

const labels = (tags: string[], more: Partial<Labels> = {}): Labels => ({
  checkId: "one",
  groupId: null,
  tags,
  ...more,
});

test("a window applies to checks that share a tag, or to all checks", () => {
  const tagged = build("2026-01-10T10:00Z", null, { tags: ["web"], silenceAlertsTags: ["db"] });
  assert.equal(appliesTo(tagged, labels(["web", "eu"])), true);
  assert.equal(appliesTo(tagged, labels(["db"])), true);
  assert.equal(appliesTo(tagged, labels(["mail"])), false);
  assert.equal(appliesTo(tagged, labels([])), false);
  assert.equal(appliesTo(build("2026-01-10T10:00Z", null), labels(["web"])), false);
  assert.equal(appliesTo({ ...tagged, pauseAllChecks: true }, labels([])), true);
  assert.equal(appliesTo({ ...tagged, silenceAllAlerts: true }, labels([])), true);
  const named = build("2026-01-10T10:00Z", null, { groupIds: [7], checkIds: ["one"] });
  assert.equal(appliesTo(named, labels([])), true);
  assert.equal(appliesTo(named, labels([], { checkId: "two" })), false);
  assert.equal(appliesTo(named, labels([], { checkId: "two", groupId: 7 })), true);
  assert.equal(appliesTo(named, labels([], { checkId: "two", groupId: 8 })), false);
});

const changes: readonly (readonly [timeZone: string, changeMs: number])[] = [
  ["Europe/Berlin", at("2026-03-29T01:00Z")],
  ["Europe/Berlin", at("2026-10-25T01:00Z")],
  ["America/New_York", at("2026-03-08T07:00Z")],
  ["America/New_York", at("2026-11-01T06:00Z")],
  ["Australia/Lord_Howe", at("2026-04-04T15:00Z")],
  ["Australia/Lord_Howe", at("2026-10-03T15:30Z")],
  ["Asia/Kolkata", at("2026-03-29T01:00Z")],
  ["UTC", at("2026-03-29T01:00Z")],
];

/** Reference implementation: the local time at each step of a period, read from a clock. */
function readClock(timeZone: string, span: { fromMs: number; toMs: number; stepMs: number }) {
  const clock = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const readings: { atMs: number; localMs: number }[] = [];
  for (let atMs = span.fromMs; atMs <= span.toMs; atMs += span.stepMs) {
    readings.push({ atMs, localMs: at(`${clock.format(atMs).replace(" ", "T")}Z`) });
  }
  return readings;
}
type Readings = ReturnType<typeof readClock>;

/** The first instant with this local time; if skipped, moved forward by the gap. */
function findShown(readings: Readings, localMs: number): number | null {
  const shown = readings.find((reading) => reading.localMs === localMs);
  if (shown !== undefined) return shown.atMs;
  const after = readings.findIndex((reading) => reading.localMs > localMs);
  const before = readings[after - 1];
  return before === undefined ? null : before.atMs + (localMs - before.localMs);
}

function listLocalTimes(
  window: MaintenanceWindow,
  localMs: number,
  untilLocalMs: number,
): number[] {
  const localTimes: number[] = [];
  const interval = window.repeatInterval ?? 1;
  const [year = 0, month = 0, day = 0] = new Date(localMs).toISOString().split(/\D/).map(Number);
  for (let step = 1; (localTimes.at(-1) ?? localMs) <= untilLocalMs; step += 1) {
    if (window.repeatUnit !== "MONTH") {
      localTimes.push(localMs + step * interval * (window.repeatUnit === "WEEK" ? 7 : 1) * dayMs);
      continue;
    }
    let candidate = day;
    const months = month - 1 + step * interval;
    // Walk back from the day until the month has it.
    while (new Date(Date.UTC(year, months, candidate)).getUTCDate() !== candidate) candidate -= 1;
    localTimes.push(Date.UTC(year, months, candidate) + (localMs % dayMs));
  }
  return localTimes;
}

function markNaively(window: MaintenanceWindow, readings: Readings): boolean[] {
  const first = readings.find((reading) => reading.atMs === window.startsAtMs);
  assert.ok(first !== undefined);
  const starts = [window.startsAtMs];
  if (window.repeatUnit !== null) {
    for (const localMs of listLocalTimes(window, first.localMs, readings.at(-1)?.localMs ?? 0)) {
      const startMs = findShown(readings, localMs);
      if (startMs !== null && startMs <= (window.repeatEndsAtMs ?? startMs)) starts.push(startMs);
    }
  }
  const lengthMs = window.endsAtMs - window.startsAtMs;
  return readings.map(({ atMs }) =>
    starts.some((start) => atMs >= start && atMs < start + lengthMs),
  );
}

/** An input takes 20 ms of CPU. */
function compare(stepMs: number, daysAround: number, units: readonly (RepeatUnit | null)[]) {
  const clocks = changes.map(([timeZone, changeMs]) => {
    const span = { fromMs: changeMs - daysAround * dayMs, toMs: changeMs + daysAround * dayMs };
    return { timeZone, readings: readClock(timeZone, { ...span, stepMs }) };
  });
  const steps = Math.floor((2 * daysAround * dayMs) / stepMs);
  const window = fc.record({
    clock: fc.constantFrom(...clocks),
    start: fc.integer({ min: 0, max: Math.floor(steps / 2) + Math.floor(dayMs / stepMs) }),
    length: fc.integer({ min: 1, max: Math.floor((30 * hourMs) / stepMs) }),
    repeatUnit: fc.constantFrom(...units),
    repeatInterval: fc.integer({ min: 1, max: 3 }),
    repeatEnds: fc.option(fc.integer({ min: 0, max: steps })),
  });
  const property = fc.property(window, (drawn) => {
    const { timeZone, readings } = drawn.clock;
    const startsAtMs = readings[drawn.start]?.atMs ?? 0;
    const { repeatUnit, repeatInterval, repeatEnds } = drawn;
    const built = build("2026-01-01T00:00Z", repeatUnit, {
      timeZone,
      startsAtMs,
      endsAtMs: startsAtMs + drawn.length * stepMs,
      repeatInterval,
      repeatEndsAtMs: repeatEnds === null ? null : startsAtMs + repeatEnds * stepMs,
    });
    const marked = markNaively(built, readings);
    for (const [index, { atMs }] of readings.entries()) {
      // Far from any boundary, a few samples are sufficient.
      const isEdge = marked[index] !== marked[index - 1] || marked[index] !== marked[index + 1];
      if (!isEdge && index % 97 !== 0) continue;
      assert.equal(isInWindow(built, atMs), marked[index], new Date(atMs).toISOString());
    }
  });
  fc.assert(property, { numRuns: propertyRuns / 4 });
}

test("around DST changes, it agrees with a clock read every minute", () => {
  compare(minuteMs, 9, [null, "DAY", "DAY", "WEEK"]);
});

test("over a year, it agrees with a clock read every 15 minutes", () => {
  compare(15 * minuteMs, 190, ["MONTH", "MONTH", "WEEK"]);
});
