import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import "../../../test/support/properties.ts";
import {
  formatMilliseconds,
  formatMs,
  parseNumber,
  readNumber,
  writeAvailability,
  writeChange,
  writeCount,
  writeList,
  writeMs,
  writePercent,
} from "./figures.ts";

test("numbers are read as digits and as words", () => {
  const rows: Readonly<Record<string, number | null>> = {
    "3": 3,
    "2.5": 2.5,
    "0": 0,
    three: 3,
    an: 1,
    half: 0.5,
    dozen: 12,
    "": null,
    ".5": null,
    "5.": null,
    "-1": null,
    "1e3": null,
    "1,5": null,
    "1234567890": null,
    constructor: null,
    Three: null,
  };
  for (const [word, expected] of Object.entries(rows)) assert.equal(parseNumber(word), expected);
});

test("the number in a line is that of the first group that matched", () => {
  const pattern = /above (\d+)|below (\w+)/;
  assert.equal(readNumber("loss above 20 %", pattern), 20);
  assert.equal(readNumber("loss below ten", pattern), 10);
  assert.equal(readNumber("loss below zero-ish", pattern), null);
  assert.equal(readNumber("no loss", pattern), null);
});

test("a measured time has the unit and the digits of its size", () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, "0 ms"],
    [0.0143, "14 µs"],
    [0.0996, "100 µs"],
    [0.1, "0.1 ms"],
    [1.368, "1.37 ms"],
    [12.34, "12.3 ms"],
    [240.4, "240 ms"],
    [1_234, "1.2 s"],
    [12_340, "12 s"],
    [-1_234, "-1.2 s"],
  ];
  for (const [ms, expected] of rows) assert.equal(formatMilliseconds(ms), expected);
  assert.equal(formatMilliseconds(1_234, 2), "1.234 s");
  assert.equal(formatMilliseconds(240.44, 1), "240.4 ms");
});

test("a formatted time differs from the measured one by less than the last digit", () => {
  const factors = { µs: 0.001, ms: 1, s: 1_000 } as const;
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1e6, noNaN: true }), (ms) => {
      const [value = "", unit = ""] = formatMilliseconds(ms).split(" ");
      const shown = Number(value) * factors[unit as keyof typeof factors];
      assert.ok(Math.abs(shown - ms) <= Math.max(ms * 0.06, 0.0005), `${ms}: ${value} ${unit}`);
    }),
  );
});

test("times on a wall have three significant digits", () => {
  const rows: readonly (readonly [number | null, string])[] = [
    [null, "–"],
    [0, "< 1 µs"],
    [0.0004, "< 1 µs"],
    [0.05, "50 µs"],
    [1.5, "1.50 ms"],
    [12.34, "12.3 ms"],
    [123.4, "123 ms"],
    [1_234, "1.2 s"],
    [12_345, "12 s"],
  ];
  for (const [ms, expected] of rows) assert.equal(formatMs(ms), expected);
});

test("an availability below 100 % is never shown as 100 %", () => {
  assert.equal(writeAvailability(100), "100 %");
  assert.equal(writeAvailability(99.999_99), "99.999 %");
  assert.equal(writeAvailability(99.9), "99.9 %");
  fc.assert(
    fc.property(fc.double({ min: 0, max: 99.999_999_9, noNaN: true }), (percent) => {
      assert.ok(Number.parseFloat(writeAvailability(percent)) <= percent + 1e-9);
    }),
  );
});

test("an availability is exact to the last digit shown, for every share of 500 runs", () => {
  for (let passed = 0; passed <= 500; passed += 1) {
    const thousandths = passed * 200;
    assert.equal(writeAvailability((passed / 500) * 100), `${thousandths / 1_000} %`);
  }
});

test("a value that does not exist is no data", () => {
  for (const value of [null, Number.NaN, Number.POSITIVE_INFINITY]) {
    const texts = [writeMs(value), writePercent(value), writeAvailability(value)];
    assert.deepEqual(
      [...texts, writeChange(value, "ms")],
      Array.from({ length: 4 }, () => "no data"),
    );
  }
});

test("values in sentences have their unit and their sign", () => {
  assert.deepEqual(
    [writeMs(0.123), writeMs(12.34), writeMs(123.4)],
    ["0.12 ms", "12.3 ms", "123 ms"],
  );
  assert.deepEqual([writePercent(12.345), writePercent(0)], ["12.35 %", "0 %"]);
  assert.deepEqual([writeChange(1.5, "ms"), writeChange(-2, "%")], ["+1.5 ms", "-2 %"]);
  assert.equal(writeChange(0.001, "ms"), "0 ms");
  assert.deepEqual([writeCount(1, "run"), writeCount(0, "run")], ["1 run", "0 runs"]);
});

test("a list ends with its last item, or with the number of the others", () => {
  assert.equal(writeList([]), "");
  assert.equal(writeList(["a"]), "a");
  assert.equal(writeList(["a", "b"]), "a and b");
  assert.equal(writeList(["a", "b", "c"]), "a, b and c");
  assert.equal(writeList(["a", "b", "c"], 3), "a, b and c");
  assert.equal(writeList(["a", "b", "c"], 2), "a, b and 1 more");
});
