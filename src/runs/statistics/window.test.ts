import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  alignWindow,
  blockMs,
  chooseIntervalMinutes,
  countBuckets,
  dayMs,
  hourMs,
  planBuckets,
  planMarks,
  planPieces,
  quickRanges,
  resolveQuickRange,
  type Span,
  startOf,
  unitOfInterval,
} from "./window.ts";

const now = Date.parse("2026-11-18T12:34:56.789Z"); // a Wednesday
const hours = fc.integer({ min: 0, max: 24 * 70 });

const windows = fc
  .record({ start: hours, length: fc.integer({ min: 1, max: 60 * dayMs }) })
  .map(({ start, length }): Span => {
    const fromMs = startOf(now, dayMs) - 40 * dayMs + start * hourMs;
    return { fromMs, toMs: fromMs + length };
  });

const rolledTimes = fc
  .record({ hours: fc.uniqueArray(hours), days: fc.uniqueArray(fc.integer({ max: 70, min: 0 })) })
  .map((rolled) => ({
    hours: new Set(rolled.hours.map((hour) => startOf(now, dayMs) - 40 * dayMs + hour * hourMs)),
    days: new Set(rolled.days.map((day) => startOf(now, dayMs) - 40 * dayMs + day * dayMs)),
  }));

test("the pieces of a window neither overlap nor leave a gap, for any roll-ups", () => {
  fc.assert(
    fc.property(windows, rolledTimes, (window, rolled) => {
      const { days, hours: hourly, raw } = planPieces(window, rolled);
      const all = [...days, ...hourly, ...raw].sort((one, other) => one.fromMs - other.fromMs);
      let at = window.fromMs;
      for (const piece of all) {
        assert.equal(piece.fromMs, at);
        assert.ok(piece.toMs > piece.fromMs);
        at = piece.toMs;
      }
      assert.equal(at, window.toMs);
    }),
  );
});

test("a piece of days or hours consists of whole, rolled-up units", () => {
  fc.assert(
    fc.property(windows, rolledTimes, (window, rolled) => {
      const pieces = planPieces(window, rolled);
      for (const { fromMs, toMs } of pieces.days) {
        for (let at = fromMs; at < toMs; at += dayMs) assert.ok(rolled.days.has(at));
        assert.equal((toMs - fromMs) % dayMs, 0);
      }
      for (const { fromMs, toMs } of pieces.hours) {
        for (let at = fromMs; at < toMs; at += hourMs) assert.ok(rolled.hours.has(at));
        assert.equal((toMs - fromMs) % hourMs, 0);
      }
    }),
  );
});

test("the totals of a span add up to exactly that span", () => {
  fc.assert(
    fc.property(windows, fc.constantFrom(dayMs, blockMs), (window, lengthMs) => {
      const whole = { fromMs: window.fromMs, toMs: startOf(window.toMs, hourMs) + hourMs };
      const marks = planMarks([whole], lengthMs);
      const length = marks.reduce((sum, mark) => {
        assert.equal(mark.fromMs % lengthMs, 0);
        assert.ok(mark.toMs - mark.fromMs <= lengthMs);
        return sum + (mark.isTakenOut ? -1 : 1) * (mark.toMs - mark.fromMs);
      }, 0);
      assert.equal(length, whole.toMs - whole.fromMs);
      assert.ok(marks.filter((mark) => mark.isTakenOut).length <= 1);
    }),
  );
});

test("a window starts with its hour, or with its day if only days are kept", () => {
  const recent = alignWindow({ fromMs: now - dayMs, toMs: now }, now);
  assert.deepEqual(recent, { fromMs: startOf(now - dayMs, hourMs), toMs: now });
  const old = alignWindow({ fromMs: now - 300 * dayMs, toMs: now - 200 * dayMs }, now);
  assert.equal(old.fromMs, startOf(now - 300 * dayMs, dayMs));
  assert.equal(old.toMs, startOf(now - 200 * dayMs, dayMs) + dayMs);
});

test("quick ranges are in UTC, and weeks start on Monday", () => {
  const spans = Object.fromEntries(
    quickRanges.map((range) => {
      const { fromMs, toMs } = resolveQuickRange(range, now);
      return [range, [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]];
    }),
  );
  const present = "2026-11-18T12:34:56.789Z";
  assert.deepEqual(spans, {
    last24Hours: ["2026-11-17T12:34:56.789Z", present],
    last7Days: ["2026-11-11T12:34:56.789Z", present],
    last30Days: ["2026-10-19T12:34:56.789Z", present],
    thisWeek: ["2026-11-16T00:00:00.000Z", present],
    thisMonth: ["2026-11-01T00:00:00.000Z", present],
    lastWeek: ["2026-11-09T00:00:00.000Z", "2026-11-16T00:00:00.000Z"],
    lastMonth: ["2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
  });
  const january = resolveQuickRange("lastMonth", Date.parse("2027-01-05T00:00:00Z"));
  assert.equal(new Date(january.fromMs).toISOString(), "2026-12-01T00:00:00.000Z");
});

test("buckets cover the window, and those that divide a day are aligned to the clock", () => {
  fc.assert(
    fc.property(windows, fc.integer({ min: 1, max: 43_200 }), (window, minutes) => {
      const buckets = planBuckets(window, minutes);
      const startsMs = buckets.anchorMs + buckets.first * buckets.intervalMs;
      const endsMs = buckets.anchorMs + (buckets.last + 1) * buckets.intervalMs;
      assert.ok(startsMs <= window.fromMs && window.fromMs < startsMs + buckets.intervalMs);
      assert.ok(endsMs >= window.toMs && window.toMs > endsMs - buckets.intervalMs);
      if (1_440 % minutes === 0) assert.equal(startsMs % (minutes * 60_000), 0);
      assert.equal(countBuckets(buckets) * buckets.intervalMs, endsMs - startsMs);
    }),
  );
});

test("a day has hourly points and longer windows daily ones, from the coarsest units that fit", () => {
  assert.equal(chooseIntervalMinutes({ fromMs: 0, toMs: 25 * hourMs }), 60);
  assert.equal(chooseIntervalMinutes({ fromMs: 0, toMs: 26 * hourMs }), 1_440);
  assert.deepEqual([1, 59, 90, 60, 120, 1_440, 2_880, 1_500].map(unitOfInterval), [
    "result",
    "result",
    "result",
    "hour",
    "hour",
    "day",
    "day",
    "hour",
  ]);
});
