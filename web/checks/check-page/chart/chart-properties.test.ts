/** What a chart shows, compared with a search through all slots. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../test/support/properties.ts";
import {
  alignBefore,
  boundSlot,
  findSlot,
  formatTick,
  hasRuns,
  hasValues,
  listBars,
  listLonely,
  type Series,
  type Slot,
  toColumns,
} from "./chart-data.ts";
import { chooseScale } from "./scale.ts";

const startSecond = Date.parse("2026-11-16T07:00:00Z") / 1_000;
const slotSeconds = 60;
const figure = fc.option(fc.integer({ min: 0, max: 5_000 }));
const slots = fc.array(
  fc.record({
    runs: fc.nat(5),
    failing: fc.nat(5),
    loss: fc.option(fc.integer({ min: 0, max: 100 })),
    min: figure,
    max: figure,
    p50: figure,
    p95: figure,
    p99: figure,
  }),
  { maxLength: 20 },
);
const options = { numRuns: propertyRuns };

const toSeries = (list: readonly Omit<Slot, "at">[], firstSecond = startSecond): Series => ({
  total: { runs: list.reduce((sum, { runs }) => sum + runs, 0) },
  slots: list.map((slot, index) => ({
    ...slot,
    failing: Math.min(slot.failing, slot.runs),
    at: new Date((firstSecond + index * slotSeconds) * 1_000).toISOString(),
  })),
});

/** Finds a slot by looking at every one. */
const searchSlot = ({ slots: list }: Series, second: number) =>
  list.find(({ at }) => {
    const from = Date.parse(at) / 1_000;
    return second >= from && second < from + slotSeconds;
  }) ?? null;

test("the slot of a time is the one that contains it", () => {
  fc.assert(
    fc.property(slots, fc.integer({ min: -200, max: 1_500 }), (list, offset) => {
      const series = toSeries(list);
      const found = findSlot(series, startSecond + offset, slotSeconds);
      assert.equal(found?.slot ?? null, searchSlot(series, startSecond + offset));
      if (found !== null) assert.equal(series.slots[found.place], found.slot);
    }),
    options,
  );
});

test("each slot is compared with the one a period earlier", () => {
  fc.assert(
    fc.property(slots, slots, fc.integer({ min: 1, max: 30 }), (list, earlier, periods) => {
      const periodSeconds = periods * slotSeconds;
      const [now, before] = [toSeries(list), toSeries(earlier, startSecond - periodSeconds)];
      const expected = now.slots.map(({ at }) => {
        const second = Date.parse(at) / 1_000 - periodSeconds;
        return searchSlot(before, second)?.p50 ?? null;
      });
      assert.deepEqual(alignBefore(now, before, { periodSeconds, slotSeconds }), expected);
    }),
    options,
  );
});

test("a clipped slot stays within its slot, and within the range if they meet", () => {
  const seconds = fc.integer({ min: -100, max: 1_400 }).map((offset) => startSecond + offset);
  fc.assert(
    fc.property(slots, seconds, seconds, (list, bornSecond, endSecond) => {
      for (const slot of toSeries(list).slots) {
        const from = Date.parse(slot.at) / 1_000;
        const bounds = boundSlot(slot, slotSeconds, { bornSecond, endSecond });
        assert.ok(bounds.fromSecond >= from && bounds.toSecond >= bounds.fromSecond);
        assert.ok(bounds.fromSecond <= from + slotSeconds);
        if (bornSecond < endSecond && bornSecond < from + slotSeconds && endSecond > from) {
          assert.deepEqual(bounds, {
            fromSecond: Math.max(from, bornSecond),
            toSecond: Math.min(from + slotSeconds, endSecond),
          });
        }
      }
    }),
    options,
  );
});

test("all lines have a value or a gap for every time, and times increase", () => {
  fc.assert(
    fc.property(slots, fc.array(figure, { maxLength: 25 }), (list, before) => {
      const series = toSeries(list);
      const limits = { bornSecond: 0, endSecond: Number.POSITIVE_INFINITY };
      const columns = toColumns(series, slotSeconds, limits, before);
      assert.deepEqual(new Set(columns.map(({ length }) => length)), new Set([list.length]));
      const [times] = columns;
      assert.ok(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0)));
      assert.deepEqual(
        columns.at(-1),
        list.map((_, index) => before[index] ?? null),
      );
    }),
    options,
  );
});

test("bars are shares between nothing and everything", () => {
  fc.assert(
    fc.property(slots, (list) => {
      const series = toSeries(list);
      const { isLoss, shares } = listBars(series);
      assert.equal(
        isLoss,
        series.slots.some(({ loss }) => loss !== null),
      );
      for (const [index, share] of shares.entries()) {
        const { runs = 0, failing = 0, loss = null } = series.slots[index] ?? {};
        const failed = runs === 0 ? 0 : failing / runs;
        assert.equal(share, loss === null ? failed : loss / 100);
        assert.ok(share >= 0 && share <= 1);
      }
    }),
    options,
  );
});

test("a lonely value has no value within two places", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(9)), { maxLength: 12 }), (values) => {
      const there = values.flatMap((value, index) => (value === null ? [] : [index]));
      const expected = there.filter((index) =>
        there.every((other) => other === index || Math.abs(other - index) > 2),
      );
      assert.deepEqual(listLonely(values), expected);
    }),
    options,
  );
});

test("every scale contains all values, except those that the clipped one cuts off", () => {
  fc.assert(
    fc.property(slots, fc.constantFrom("clipped", "full", "log" as const), (list, name) => {
      const series = toSeries(list);
      const { top, bottom, ticks } = chooseScale([series], name);
      const highest = Math.max(0, ...list.map(({ max }) => max ?? 0));
      if (name !== "clipped") assert.ok(top >= highest * (1 - 1e-9), `${top} < ${highest}`);
      assert.ok(top > bottom);
      assert.deepEqual([ticks[0], ticks.at(-1)], [bottom, top]);
    }),
    options,
  );
});

test("a chart knows whether it has values and runs", () => {
  assert.deepEqual([hasValues([]), hasRuns([])], [false, false]);
  fc.assert(
    fc.property(slots, (list) => {
      const series = toSeries(list);
      assert.equal(
        hasValues([series]),
        list.some(({ max }) => max !== null),
      );
      assert.equal(
        hasRuns([series]),
        list.some(({ runs }) => runs > 0),
      );
    }),
    options,
  );
});

test("a time on the axis is the number that was drawn", () => {
  const unitMs: Readonly<Record<string, number>> = { s: 1_000, ms: 1, µs: 0.001 };
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 999 }),
      fc.integer({ min: -3, max: 4 }),
      (digits, power) => {
        const value = digits * 10 ** power;
        const [number = "", unit = ""] = formatTick(value, "milliseconds").split(" ");
        const shown = Number(number.replaceAll(",", "")) * (unitMs[unit] ?? Number.NaN);
        assert.ok(Math.abs(shown - value) <= value * 1e-9, `${value}: ${number} ${unit}`);
      },
    ),
    options,
  );
});
