import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAxisTimes, formatTick, formatValue } from "./units.ts";

test("a value has the unit of its metric", () => {
  assert.equal(formatValue(0, "milliseconds"), "0 ms");
  assert.equal(formatValue(8.31, "milliseconds"), "8.31 ms");
  assert.equal(formatValue(12.34, "percentage"), "12.34 %");
  assert.equal(formatValue(29.6, "days"), "30 d");
  assert.deepEqual([formatValue(null, "milliseconds"), formatValue(null, "days")], ["–", "–"]);
});

test("an axis value has no insignificant digits", () => {
  const milliseconds = [0, 0.25, 1, 150, 1_000, 2_500].map((one) =>
    formatTick(one, "milliseconds"),
  );
  assert.deepEqual(milliseconds, ["0", "250 µs", "1 ms", "150 ms", "1 s", "2.5 s"]);
  assert.deepEqual([formatTick(12.5, "percentage"), formatTick(90, "days")], ["12.5 %", "90 d"]);
});

test("the axis shows the date at midnight and the time otherwise", () => {
  const midnight = new Date(2026, 10, 16).getTime() / 1_000;
  const [date = "", ...times] = formatAxisTimes([midnight, midnight + 1_800, midnight + 5_400]);
  assert.match(date, /16/);
  assert.deepEqual(times, ["00:30", "01:30"]);
});
