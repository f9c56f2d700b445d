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

test("a value that is rounded up to the next unit is shown in it", () => {
  const shown = [0.999_6, 9.996, 99.96, 999.6, 9_996, 9_999.9].map(formatMs);
  assert.deepEqual(shown, ["1.00 ms", "10.0 ms", "100 ms", "1.00 s", "10.0 s", "10.0 s"]);
  const sizes = [999_400, 999_500, 999_949_999, 999_500_000].map(formatBytes);
  assert.deepEqual(sizes, ["999 kB", "1.0 MB", "1.0 GB", "1.0 GB"]);
});

test("a percentage with two decimals is shown as it is", () => {
  const percents = Array.from({ length: 500 }, (_, index) => (((index * 97) % 9_999) + 1) / 100);
  const wrong = [64.1, 1.15, 8.2, ...percents].filter(
    (percent) => formatPercent(percent) !== `${percent.toFixed(2)} %`,
  );
  assert.deepEqual(wrong, []);
  assert.equal(formatPercent(99.999_999_9), "99.99 %");
});

test("a measured time never has more than three significant digits below ten seconds", () => {
  for (let ms = 0.001; ms < 10_000; ms *= 1.13) {
    const [number = ""] = formatMs(ms).split(" ");
    const significant = number.replace(/^0\.0*/, "").replace(/[.,]/g, "");
    assert.ok(significant.length <= 3, formatMs(ms));
  }
});
