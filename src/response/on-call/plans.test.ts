import assert from "node:assert/strict";
import { test } from "node:test";
import { dayMs, hourMs, isLocalTime, minuteMs } from "./local-time.ts";
import { decideNow, describeGap, formatZoned, gapHorizonMs, horizonMs } from "./plans.ts";
import { joinSpans } from "./rendering.ts";
import type { Layer, Override, Plan } from "./schedule.ts";

const nowMs = Date.parse("2026-01-05T12:00:00Z");
const inHours = (hours: number) => nowMs + hours * hourMs;

function newLayer(participants: readonly string[], change: Partial<Layer> = {}): Layer {
  return {
    name: "Primary",
    participants,
    rotation: { unit: "DAY", interval: 1, handoffTime: "09:00", handoffDay: "MONDAY" },
    start: "2026-01-05T09:00",
    end: null,
    restrictions: [],
    ...change,
  };
}

function newPlan(layers: readonly Layer[], overrides: readonly Override[] = []): Plan {
  return { timeZone: "UTC", layers, overrides, departures: new Map() };
}

test("now, the next handoff and the next person", () => {
  const { current, untilMs, next, gaps } = decideNow(newPlan([newLayer(["anna", "ben"])]), nowMs);
  assert.equal(current.userId, "anna");
  assert.equal(untilMs, inHours(21));
  assert.deepEqual([next?.userId, next?.fromMs, next?.toMs], ["ben", inHours(21), inHours(45)]);
  assert.deepEqual(gaps, []);
});

test("one participant alone has no handoff and no next person", () => {
  const { current, untilMs, next } = decideNow(newPlan([newLayer(["anna"])]), nowMs);
  assert.deepEqual([current.userId, untilMs, next], ["anna", null, null]);
});

test("turns of the same person, and of an override by the same person, are one", () => {
  const override: Override = { id: "o", userId: "anna", fromMs: inHours(1), toMs: inHours(2) };
  const plan = newPlan([newLayer(["anna", "anna", "ben"])], [override]);
  const { untilMs, next } = decideNow(plan, nowMs);
  assert.equal(untilMs, inHours(45));
  assert.equal(next?.userId, "ben");
});

test("a schedule without layers has nobody on call, and an end of that is not known", () => {
  const { current, untilMs, next, gaps } = decideNow(newPlan([]), nowMs);
  assert.deepEqual([current.userId, untilMs, next], [null, null, null]);
  assert.deepEqual(gaps, [{ fromMs: nowMs, toMs: null }]);
});

test("the next person after a gap is known", () => {
  const nights = newLayer(["anna"], {
    restrictions: [{ days: ["MONDAY"], from: "18:00", to: "20:00" }],
  });
  const { current, untilMs, next, gaps } = decideNow(newPlan([nights]), nowMs);
  assert.deepEqual([current.userId, untilMs, next?.userId], [null, inHours(6), "anna"]);
  assert.deepEqual(gaps, [
    { fromMs: nowMs, toMs: inHours(6) },
    { fromMs: inHours(8), toMs: inHours(6 + 7 * 24) },
    { fromMs: inHours(8 + 7 * 24), toMs: inHours(6 + 14 * 24) },
  ]);
});

test("a gap counts if it starts within 14 days", () => {
  assert.equal(gapHorizonMs, 14 * dayMs);
  const gapFrom = (fromMs: number): Override => {
    return { id: "o", userId: null, fromMs, toMs: fromMs + hourMs };
  };
  const findGaps = (fromMs: number) =>
    decideNow(newPlan([newLayer(["anna"])], [gapFrom(fromMs)]), nowMs).gaps;
  const lastMs = nowMs + gapHorizonMs - minuteMs;
  assert.deepEqual(findGaps(lastMs), [{ fromMs: lastMs, toMs: lastMs + hourMs }]);
  assert.deepEqual(findGaps(nowMs + gapHorizonMs), []);
});

test("a gap that lasts beyond the known time has no end", () => {
  const end = new Date(nowMs + 3 * dayMs).toISOString().slice(0, 16);
  const { gaps, untilMs } = decideNow(newPlan([newLayer(["anna"], { end })]), nowMs);
  assert.deepEqual(gaps, [{ fromMs: nowMs + 3 * dayMs, toMs: null }]);
  assert.equal(untilMs, nowMs + 3 * dayMs);
  const long = { id: "o", userId: null, fromMs: nowMs, toMs: nowMs + horizonMs + 1 };
  assert.deepEqual(decideNow(newPlan([newLayer(["anna"])], [long]), nowMs).gaps, [
    { fromMs: nowMs, toMs: null },
  ]);
});

test("at most 20 gaps are listed", () => {
  const hourly = Array.from({ length: 30 }, (_, index) => ({
    ...{ id: String(index), userId: null },
    ...{ fromMs: inHours(2 * index + 1), toMs: inHours(2 * index + 2) },
  }));
  const { gaps } = decideNow(newPlan([newLayer(["anna"])], hourly), nowMs);
  assert.equal(gaps.length, 20);
  assert.equal(gaps[19]?.fromMs, inHours(39));
});

test("times are formatted as people in the zone read them", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["UTC", "2026-11-21T18:00:00Z", "Sat 21 Nov 18:00"],
    ["Europe/Berlin", "2026-11-21T23:30:00Z", "Sun 22 Nov 00:30"],
    ["Asia/Kolkata", "2026-07-01T12:00:00Z", "Wed 1 Jul 17:30"],
    ["America/New_York", "2026-03-08T06:59:59Z", "Sun 8 Mar 01:59"],
    ["America/New_York", "2026-03-08T07:00:00Z", "Sun 8 Mar 03:00"],
  ];
  for (const [zone, time, expected] of rows) {
    assert.equal(formatZoned(zone, Date.parse(time)), expected);
  }
});

test("the sentence about a gap says from when until when nobody is on call", () => {
  const gap = (from: number, to: number | null) => [
    { fromMs: inHours(from), toMs: to === null ? null : inHours(to) },
  ];
  const rows: readonly (readonly [readonly { fromMs: number; toMs: number | null }[], string])[] = [
    [gap(0, null), "Nobody is on call."],
    [gap(0, 2), "Nobody is on call now, until Mon 5 Jan 15:00 (Europe/Berlin)."],
    [gap(24, 26), "Nobody is on call from Tue 6 Jan 13:00 to Tue 6 Jan 15:00 (Europe/Berlin)."],
    [gap(24, null), "Nobody is on call from Tue 6 Jan 13:00 (Europe/Berlin)."],
    [
      [...gap(0, 2), ...gap(24, null)],
      "Nobody is on call now, until Mon 5 Jan 15:00 (Europe/Berlin).",
    ],
  ];
  for (const [gaps, expected] of rows) {
    assert.equal(describeGap("Europe/Berlin", gaps, nowMs), expected);
  }
  assert.equal(describeGap("Europe/Berlin", [], nowMs), null);
});

test("spans are joined in order, whether they overlap, touch or contain each other", () => {
  const join = (...pairs: readonly (readonly [number, number])[]) =>
    joinSpans(pairs.map(([fromMs, toMs]) => ({ fromMs, toMs }))).map(({ fromMs, toMs }) => [
      fromMs,
      toMs,
    ]);
  assert.deepEqual(join(), []);
  assert.deepEqual(join([5, 6], [1, 2]), [
    [1, 2],
    [5, 6],
  ]);
  assert.deepEqual(join([1, 2], [2, 3]), [[1, 3]]);
  assert.deepEqual(join([1, 9], [2, 3], [8, 10]), [[1, 10]]);
  assert.deepEqual(join([1, 2], [1, 2]), [[1, 2]]);
});

test("a local time must exist in the calendar and be in a supported year", () => {
  const valid = ["2000-01-01T00:00", "2026-02-28T23:59", "2028-02-29T12:00", "2199-12-24T00:00"];
  for (const text of valid) assert.ok(isLocalTime(text), text);
  const invalid = [
    ...["1999-12-31T23:59", "2200-01-01T00:00", "2199-12-31T23:59", "2026-02-29T12:00"],
    ...["2026-02-31T12:00", "2026-04-31T00:00", "2026-01-01T24:00", "2026-13-01T00:00", "", "now"],
    ...["2026-01-01T09:00:00", "2026-01-01", "2026-01-01T9:00", "2026-01-01T09:00Z"],
  ];
  for (const text of invalid) assert.equal(isLocalTime(text), false, text);
});
