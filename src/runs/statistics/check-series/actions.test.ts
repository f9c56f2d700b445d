import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dayMs, hourMs, keptDays } from "../window.ts";
import { maxHours, maxRuns, planSeries, type SeriesNeed } from "./actions.ts";

const nowMs = Date.parse("2026-11-15T12:34:56.000Z");
const minuteMs = 60_000;

function plan(lengthMs: number, more: Partial<SeriesNeed> = {}) {
  const span = { fromMs: nowMs - lengthMs, toMs: nowMs };
  const periodMs = more.periodMs ?? minuteMs;
  const expectedRuns = lengthMs / periodMs;
  const runsKeptFromMs = nowMs - 30 * dayMs;
  return planSeries({
    span,
    points: 300,
    periodMs,
    expectedRuns,
    runsKeptFromMs,
    nowMs,
    ...more,
  });
}

for (const [title, lengthMs, more, source, slotMs] of [
  ["an hour of a check a minute", hourMs, {}, "runs", minuteMs],
  ["an hour of a check in ten minutes", hourMs, { periodMs: 10 * minuteMs }, "runs", 600_000],
  ["a day", dayMs, {}, "runs", 5 * minuteMs],
  ["a day with few points", dayMs, { points: 50 }, "runs", 30 * minuteMs],
  ["a day of very many runs", dayMs, { expectedRuns: maxRuns + 1 }, "hours", hourMs],
  ["a day whose runs are gone", dayMs, { runsKeptFromMs: nowMs - hourMs }, "hours", hourMs],
  ["a week", 7 * dayMs, {}, "hours", hourMs],
  ["a month", 30 * dayMs, {}, "hours", 3 * hourMs],
  ["a month in one point", 30 * dayMs, { points: 1 }, "hours", 56 * dayMs],
  ["a quarter", 90 * dayMs, {}, "days", dayMs],
  ["all that is kept", keptDays.daily * dayMs, {}, "days", 3 * dayMs],
] as const) {
  test(`${title} is read from ${source} in slots of ${slotMs / minuteMs} minutes`, () => {
    const found = plan(lengthMs, more);
    assert.deepEqual([found.source, found.slotMs], [source, slotMs]);
  });
}

test("slots are limited and cover the range, and the reads are bounded", () => {
  const needs = fc.record({
    lengthMs: fc.integer({ min: 1_000, max: keptDays.daily * dayMs }),
    agoMs: fc.integer({ min: 0, max: 200 * dayMs }),
    points: fc.integer({ min: 10, max: 500 }),
    periodMs: fc.constantFrom(10_000, minuteMs, 5 * minuteMs, hourMs, dayMs),
    places: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(needs, ({ lengthMs, agoMs, points, periodMs, places }) => {
      const toMs = nowMs - agoMs;
      const span = { fromMs: toMs - lengthMs, toMs };
      const expectedRuns = (lengthMs / periodMs) * places;
      const runsKeptFromMs = nowMs - 30 * dayMs;
      const need = { span, points, periodMs, expectedRuns, runsKeptFromMs, nowMs };
      const { source, window, slotMs, buckets } = planSeries(need);
      assert.ok(window.fromMs <= span.fromMs && window.toMs >= span.toMs);
      assert.ok(window.toMs - span.toMs < dayMs);
      assert.ok(buckets.last + 1 <= points + 1, `${buckets.last + 1} slots`);
      assert.ok(window.fromMs + buckets.last * slotMs < window.toMs);
      assert.ok(window.fromMs + (buckets.last + 1) * slotMs >= window.toMs);
      if (source === "runs") assert.ok(expectedRuns <= maxRuns && slotMs < hourMs);
      if (source === "hours") assert.ok(lengthMs / hourMs <= maxHours && slotMs >= hourMs);
      if (source === "days") assert.ok(slotMs >= dayMs);
    }),
  );
});
