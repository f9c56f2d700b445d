import assert from "node:assert/strict";
import { test } from "node:test";
import {
  alignBefore,
  boundSlot,
  findSlot,
  formatAxisTimes,
  formatTick,
  formatValue,
  listBars,
  listLonely,
  listTimes,
  type Series,
  type Slot,
  toColumns,
} from "./chart-data.ts";

test("a value has the unit of its metric", () => {
  assert.equal(formatValue(0, "milliseconds"), "0 ms");
  assert.equal(formatValue(8.31, "milliseconds"), "8.31 ms");
  assert.equal(formatValue(12.34, "percentage"), "12.34 %");
  assert.equal(formatValue(29.6, "days"), "30 d");
  assert.equal(formatValue(0.0213, "score"), "0.0213");
  assert.deepEqual([formatValue(null, "milliseconds"), formatValue(null, "days")], ["–", "–"]);
});

test("an axis value has no insignificant digits", () => {
  const milliseconds = [0, 0.25, 1, 150, 1_000, 2_500].map((one) =>
    formatTick(one, "milliseconds"),
  );
  assert.deepEqual(milliseconds, ["0", "250 µs", "1 ms", "150 ms", "1 s", "2.5 s"]);
  assert.deepEqual([formatTick(12.5, "percentage"), formatTick(90, "days")], ["12.5 %", "90 d"]);
  assert.equal(formatTick(0.05, "score"), "0.05");
});

test("the axis shows the date at midnight and the time otherwise", () => {
  const midnight = new Date(2026, 10, 16).getTime() / 1_000;
  const [date = "", ...times] = formatAxisTimes([midnight, midnight + 1_800, midnight + 5_400]);
  assert.match(date, /16/);
  assert.deepEqual(times, ["00:30", "01:30"]);
});

function slotAt(minute: number, more: Partial<Slot> = {}): Slot {
  const at = new Date(Date.parse("2026-11-16T07:00:00Z") + minute * 60_000).toISOString();
  const figures = { min: 1, max: 9, p50: 2, p95: 5, p99: 8 };
  return { at, runs: 2, failing: 0, loss: null, ...figures, ...more };
}

const seriesOf = (...slots: Slot[]): Series => ({
  total: { runs: slots.length },
  slots,
});

const start = Date.parse("2026-11-16T07:00:00Z") / 1_000;
const always = { bornSecond: 0, endSecond: Number.POSITIVE_INFINITY };

test("columns are centred in their slots, with gaps where there were no runs", () => {
  const series = seriesOf(slotAt(0), slotAt(1, { min: null }));
  const [times, min, max, p50] = toColumns(series, 60, always);
  assert.deepEqual(times, [start + 30, start + 90]);
  assert.deepEqual(
    [min, max, p50],
    [
      [1, null],
      [9, 9],
      [2, 2],
    ],
  );
});

test("a slot is clipped to the creation of the check and the end of the range", () => {
  const limits = { bornSecond: start + 40, endSecond: start + 80 };
  assert.deepEqual(boundSlot(slotAt(0), 60, limits), {
    fromSecond: start + 40,
    toSecond: start + 60,
  });
  assert.deepEqual(listTimes([slotAt(0), slotAt(1)], 60, limits), [start + 50, start + 70]);
});

test("the previous period is aligned with the current one", () => {
  const before = seriesOf(slotAt(0, { p50: 20 }), slotAt(1, { p50: null }), slotAt(2, { p50: 22 }));
  const now = seriesOf(slotAt(3), slotAt(4), slotAt(5), slotAt(6));
  const distances = { periodSeconds: 180, slotSeconds: 60 };
  assert.deepEqual(alignBefore(now, before, distances), [20, null, 22, null]);
});

test("a value without neighbours is drawn as a point", () => {
  assert.deepEqual(listLonely([1, null, null, 4, null, 6, null, null, null, 10]), [0, 9]);
  assert.deepEqual(listLonely([5]), [0]);
});

test("bars show loss where it is measured, and failed runs otherwise", () => {
  const failing = slotAt(0, { failing: 1 });
  assert.deepEqual(listBars(seriesOf(failing)), { isLoss: false, shares: [0.5] });
  const lossy = seriesOf(slotAt(0, { loss: 30 }), slotAt(1, { failing: 2, loss: null }));
  assert.deepEqual(listBars(lossy), { isLoss: true, shares: [0.3, 1] });
});

test("findSlot returns the slot of a time", () => {
  const series = seriesOf(slotAt(0), slotAt(1));
  assert.equal(findSlot(series, start + 61, 60)?.place, 1);
  assert.equal(findSlot(series, start - 1, 60), null);
  assert.equal(findSlot(series, start + 121, 60), null);
});
