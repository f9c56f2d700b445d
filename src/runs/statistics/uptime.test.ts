import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { computeAvailability, formatAvailability, toAvailabilityPercent } from "./uptime.ts";

const counts = fc.record({
  passing: fc.nat({ max: 1e9 }),
  degraded: fc.nat({ max: 1e9 }),
  failing: fc.nat({ max: 1e9 }),
});

test("degraded counts as up, failing as down", () => {
  assert.equal(computeAvailability({ passing: 1, degraded: 1, failing: 2 }), 0.5);
  assert.equal(computeAvailability({ passing: 0, degraded: 3, failing: 0 }), 1);
  assert.equal(computeAvailability({ passing: 0, degraded: 0, failing: 3 }), 0);
});

test("without known runs there is no figure", () => {
  assert.equal(computeAvailability({ passing: 0, degraded: 0, failing: 0 }), null);
  assert.equal(formatAvailability(null), "no data");
});

test("100 is shown if and only if nothing failed", () => {
  fc.assert(
    fc.property(counts, (given) => {
      const ratio = computeAvailability(given);
      if (ratio === null) return;
      assert.ok(ratio >= 0 && ratio <= 1);
      assert.equal(toAvailabilityPercent(ratio) === 100, given.failing === 0);
    }),
  );
  const vast = computeAvailability({ passing: 2 ** 53, degraded: 0, failing: 1 }) ?? 1;
  assert.equal(formatAvailability(vast), "99.999 %");
});

test("percentages are rounded down to three decimals", () => {
  const cases: [number, string][] = [
    [1, "100 %"],
    [0.9995, "99.95 %"],
    [0.999996, "99.999 %"],
    [0.999999999, "99.999 %"],
    [2 / 3, "66.666 %"],
    [0.29, "29 %"],
    [0, "0 %"],
  ];
  for (const [ratio, text] of cases) assert.equal(formatAvailability(ratio), text);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (ratio) => {
      const percent = toAvailabilityPercent(ratio);
      assert.ok(percent <= ratio * 100 + 1e-8 && percent > ratio * 100 - 0.0011);
    }),
  );
});
