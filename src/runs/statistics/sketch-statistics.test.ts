import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addToSketch,
  createSketch,
  decodeSketchesInto,
  encodeSketch,
} from "../../platform/sketch.ts";
import { addPercent, aggregate, asPercent } from "./sketch-statistics.ts";

const latencies = fc.array(fc.double({ min: 0.01, max: 10_000, noNaN: true }), {
  minLength: 1,
  maxLength: 300,
});

function within(actual: number | null, expected: number, tolerance: number): void {
  assert.ok(actual !== null && Math.abs(actual - expected) <= tolerance, `${actual}, ${expected}`);
}

test("averages, sums and percentiles are within one percent of the exact ones", () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const sketch = createSketch();
      for (const value of values) addToSketch(sketch, value);
      const sorted = [...values].sort((one, other) => one - other);
      const sum = values.reduce((total, value) => total + value, 0);
      within(aggregate(sketch, "sum"), sum, 0.0101 * sum);
      within(aggregate(sketch, "avg"), sum / values.length, (0.0101 * sum) / values.length);
      for (const [name, share] of [
        ["min", 0],
        ["median", 0.5],
        ["p50", 0.5],
        ["p90", 0.9],
        ["p95", 0.95],
        ["p99", 0.99],
        ["max", 1],
      ] as const) {
        const exact = sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
        within(aggregate(sketch, name), exact, 0.0101 * exact);
      }
    }),
  );
});

test("the standard deviation is as accurate as the values", () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const sketch = createSketch();
      for (const value of values) addToSketch(sketch, value);
      const mean = values.reduce((total, value) => total + value, 0) / values.length;
      const variance = values.reduce((total, value) => total + (value - mean) ** 2, 0);
      const rootMeanSquare = Math.hypot(...values) / Math.sqrt(values.length);
      const exact = Math.sqrt(variance / values.length);
      within(aggregate(sketch, "stddev"), exact, 0.0101 * rootMeanSquare + 1e-6);
    }),
  );
});

test("a loss is exact to a tenth of a percent, also among many", () => {
  for (let tenths = 0; tenths <= 1_000; tenths += 1) {
    const sketch = createSketch();
    addPercent(sketch, tenths / 10);
    const copy = createSketch();
    decodeSketchesInto(encodeSketch(sketch), copy);
    assert.equal(aggregate(copy, "max", asPercent), tenths / 10);
  }
  const losses = createSketch();
  for (const loss of [0, 0, 0, 10, 33.333, 100]) addPercent(losses, loss);
  assert.equal(aggregate(losses, "min", asPercent), 0);
  assert.equal(aggregate(losses, "p50", asPercent), 0);
  assert.equal(aggregate(losses, "p90", asPercent), 33.3);
  assert.equal(aggregate(losses, "max", asPercent), 100);
  within(aggregate(losses, "avg", asPercent), 143.333 / 6, 0.05);
});

test("an empty sketch has no figures", () => {
  for (const name of ["avg", "sum", "stddev", "min", "p99"] as const) {
    assert.equal(aggregate(createSketch(), name), null);
  }
});
