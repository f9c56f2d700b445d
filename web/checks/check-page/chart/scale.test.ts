import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Series, Slot } from "./chart-data.ts";
import { chooseScale, listLogTicks, listTicks } from "./scale.ts";

function seriesOf(values: readonly number[]): Series {
  const slots = values.map(
    (value, minute): Slot => ({
      at: new Date(minute * 60_000).toISOString(),
      runs: 1,
      failing: 0,
      loss: null,
      min: value,
      max: value,
      p50: value,
      p95: value,
      p99: value,
    }),
  );
  return { total: { runs: values.length }, slots };
}

const steady = Array.from({ length: 99 }, (_, place) => 10 + (place % 5));

test("one spike does not flatten the other values, unless the full scale is selected", () => {
  const spiky = [seriesOf([...steady, 9_000])];
  assert.equal(chooseScale(spiky, "clipped").top, 25);
  assert.equal(chooseScale(spiky, "full").top, 10_000);
  const { top, bottom, ticks } = chooseScale(spiky, "log");
  assert.deepEqual([bottom, top], [10, 10_000]);
  assert.deepEqual(ticks, [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]);
});

test("without a spike, or with few runs, all values are shown", () => {
  assert.equal(chooseScale([seriesOf(steady)], "clipped").top, 15);
  assert.equal(chooseScale([seriesOf([1, 2, 40])], "clipped").top, 40);
});

test("a scale exists even without values", () => {
  for (const name of ["clipped", "full", "log"] as const) {
    assert.deepEqual(chooseScale([seriesOf([])], name).ticks, [0, 1]);
  }
});

test("the last tick is at or above every value, and ticks are few and increasing", () => {
  const value = fc.double({ min: 1e-3, max: 1e7, noNaN: true });
  fc.assert(
    fc.property(value, value, (one, other) => {
      const [low, high] = one < other ? [one, other] : [other, one];
      for (const ticks of [listTicks(high), listLogTicks(low, high)]) {
        assert.ok((ticks.at(-1) ?? 0) >= high * (1 - 1e-6), `${ticks} for ${low} to ${high}`);
        assert.ok((ticks[0] ?? 0) <= low * (1 + 1e-6), `${ticks} for ${low} to ${high}`);
        assert.ok(ticks.length >= 2 && ticks.length <= 14, `${ticks.length} ticks`);
        assert.ok(ticks.every((tick, place) => place === 0 || tick > (ticks[place - 1] ?? 0)));
      }
    }),
  );
});
