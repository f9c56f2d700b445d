import assert from "node:assert/strict";
import { test } from "node:test";
import { findSlot, findTop, listBars, type Series, type Slot, toColumns } from "./chart-data.ts";

function slotAt(minute: number, more: Partial<Slot> = {}): Slot {
  const at = new Date(Date.parse("2026-11-16T07:00:00Z") + minute * 60_000).toISOString();
  const figures = { min: 1, max: 9, p50: 2, p95: 5, p99: 8 };
  return { at, runs: 2, failing: 0, loss: null, ...figures, ...more };
}

const seriesOf = (...slots: Slot[]): Series => ({
  total: { runs: slots.length },
  slots,
});

test("columns stand in the middle of their slots, with gaps where nothing ran", () => {
  const [times, min, max, p50] = toColumns(seriesOf(slotAt(0), slotAt(1, { min: null })), 60);
  const start = Date.parse("2026-11-16T07:00:00Z") / 1_000;
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

test("bars show loss where it is counted, and failing runs elsewhere", () => {
  const failing = slotAt(0, { failing: 1 });
  assert.deepEqual(listBars(seriesOf(failing)), { isLoss: false, shares: [0.5] });
  const lossy = seriesOf(slotAt(0, { loss: 30 }), slotAt(1, { failing: 2, loss: null }));
  assert.deepEqual(listBars(lossy), { isLoss: true, shares: [0.3, 1] });
});

test("one long answer does not flatten the others", () => {
  assert.equal(findTop([seriesOf(slotAt(0, { max: 10_000 }))]), 8 * 1.5 * 1.05);
  assert.equal(findTop([seriesOf(slotAt(0, { max: null, p99: null }))]), 1);
});

test("a moment finds its slot", () => {
  const series = seriesOf(slotAt(0), slotAt(1));
  const start = Date.parse("2026-11-16T07:00:00Z") / 1_000;
  assert.equal(findSlot(series, start + 61, 60)?.place, 1);
  assert.equal(findSlot(series, start - 1, 60), null);
  assert.equal(findSlot(series, start + 121, 60), null);
});
