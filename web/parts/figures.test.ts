import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatMs, formatPercent } from "./figures.ts";

test("a time has three significant digits and its unit", () => {
  const shown = [null, 0.014, 0.9994, 8.314, 31.26, 240.4, 1_250, 12_345].map(formatMs);
  const expected = ["–", "14 µs", "999 µs", "8.31 ms", "31.3 ms", "240 ms", "1.25 s", "12.3 s"];
  assert.deepEqual(shown, expected);
});

test("a percentage is rounded down, so that only exactly 100 shows as 100 %", () => {
  const shown = [undefined, 0, 99.951, 99.999_9, 100].map(formatPercent);
  assert.deepEqual(shown, ["–", "0 %", "99.95 %", "99.99 %", "100 %"]);
});

test("a size has a decimal unit, and at most one decimal", () => {
  const shown = [0, 999, 1_000, 1_550, 123_456, 5e9, 5e15].map(formatBytes);
  const expected = ["0 B", "999 B", "1.0 kB", "1.6 kB", "123 kB", "5.0 GB", "5,000 TB"];
  assert.deepEqual(shown, expected);
});
