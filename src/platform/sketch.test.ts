import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addToSketch,
  createSketch,
  decodeSketchesInto,
  encodeFew,
  encodeSketch,
  maxBuckets,
  mergeSketch,
  quantile,
  relativeError,
  type Sketch,
} from "./sketch.ts";

const rtts = fc.array(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), { maxLength: 200 });
const withZeros = fc.array(
  fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e6, noNaN: true })),
  { maxLength: 100 },
);
const shares = [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1];

function sketchOf(values: readonly number[]): Sketch {
  const sketch = createSketch();
  for (const value of values) addToSketch(sketch, value);
  return sketch;
}

/** Compares encodings, because equal sketches may have windows of different size. */
function assertSame(one: Sketch, other: Sketch): void {
  assert.equal(one.count, other.count);
  assert.deepEqual(encodeSketch(one), encodeSketch(other));
}

test("every quantile is within one percent of the exact one", () => {
  fc.assert(
    fc.property(rtts, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const sketch = sketchOf(values);
      const sorted = values.toSorted((one, other) => one - other);
      for (const q of [...shares, share]) {
        const exact = sorted[Math.floor(q * (sorted.length - 1))];
        const estimate = quantile(sketch, q);
        if (exact === undefined || estimate === null) {
          assert.deepEqual([exact, estimate], [undefined, null]);
        } else {
          assert.ok(Math.abs(estimate - exact) <= exact * (relativeError + 1e-9));
        }
      }
    }),
  );
});

test("merging yields the sketch of all values, however they were divided", () => {
  fc.assert(
    fc.property(fc.array(withZeros, { maxLength: 8 }), (parts) => {
      const merged = createSketch();
      for (const part of parts) mergeSketch(merged, sketchOf(part));
      assertSame(merged, sketchOf(parts.flat()));
      const backward = createSketch();
      for (const part of parts.toReversed()) mergeSketch(backward, sketchOf(part));
      assertSame(backward, merged);
    }),
  );
});

test("merging leaves the source unchanged, even into itself", () => {
  const source = sketchOf([1, 2, 3]);
  const before = encodeSketch(source);
  mergeSketch(createSketch(), source);
  assert.deepEqual(encodeSketch(source), before);
  mergeSketch(source, source);
  assertSame(source, sketchOf([1, 2, 3, 1, 2, 3]));
});

test("the short encoding of a few values decodes to their sketch", () => {
  const anything = fc.oneof(
    fc.double({ min: 1e-6, max: 1e6 }),
    fc.constantFrom(0, 1, 1, 12.5, -1, Number.NaN, Number.POSITIVE_INFINITY),
  );
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 100 }), fc.array(anything), (values, others) => {
      const decoded = createSketch();
      const bytes = Buffer.concat([encodeFew(values), encodeFew(others)]);
      assert.equal(decodeSketchesInto(bytes, decoded), 2);
      assertSame(decoded, sketchOf([...values, ...others]));
    }),
  );
  assert.equal(encodeFew([12.5]).length, 3);
});

test("a sketch is decoded from its bytes", () => {
  fc.assert(
    fc.property(withZeros, (values) => {
      const sketch = sketchOf(values);
      const decoded = createSketch();
      assert.equal(decodeSketchesInto(encodeSketch(sketch), decoded), 1);
      assertSame(decoded, sketch);
    }),
  );
});

test("concatenated encodings decode to their sum", () => {
  fc.assert(
    fc.property(fc.array(withZeros, { maxLength: 10 }), withZeros, (parts, held) => {
      const bytes = Buffer.concat(parts.map((part) => encodeSketch(sketchOf(part))));
      const target = sketchOf(held);
      assert.equal(decodeSketchesInto(bytes, target), parts.length);
      assertSame(target, sketchOf([held, ...parts].flat()));
    }),
  );
});

test("subtracting a sketch restores the previous one", () => {
  fc.assert(
    fc.property(withZeros, withZeros, (held, added) => {
      const target = sketchOf([...held, ...added]);
      assert.equal(decodeSketchesInto(encodeSketch(sketchOf(added)), target, -1), 1);
      assertSame(target, sketchOf(held));
    }),
  );
});

test("counts above 32 bits are encoded correctly", () => {
  const sketch = createSketch();
  addToSketch(sketch, 12.5, 2 ** 40);
  addToSketch(sketch, 0, 2 ** 35);
  const decoded = createSketch();
  decodeSketchesInto(encodeSketch(sketch), decoded);
  assert.deepEqual([decoded.count, decoded.zeroCount], [2 ** 40 + 2 ** 35, 2 ** 35]);
});

test("the number of buckets is bounded, and the lowest ones are merged", () => {
  const anything = fc.array(fc.double({ min: 1e-9, max: 1e300, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(anything, anything, (values, more) => {
      const sketch = sketchOf([...values, ...more]);
      assert.ok(sketch.counts.length <= maxBuckets);
      assert.equal(sketch.count, values.length + more.length);
      const highest = Math.max(...values, ...more);
      const estimate = quantile(sketch, 1) ?? 0;
      assert.ok(Math.abs(estimate - highest) <= highest * (relativeError + 1e-9));
      const merged = sketchOf(more);
      mergeSketch(merged, sketchOf(values));
      assertSame(merged, sketch);
    }),
  );
});

test("values that are not numbers are ignored, and negative ones count as zero", () => {
  const sketch = sketchOf([Number.NaN, Number.POSITIVE_INFINITY, -3, 0, 1e-12]);
  assert.deepEqual([sketch.count, sketch.zeroCount, quantile(sketch, 1)], [3, 3, 0]);
  assert.equal(quantile(sketch, Number.NaN), null);
});

test("invalid bytes are rejected in bounded time", () => {
  const good = encodeSketch(sketchOf([1, 2, 300]));
  const torn = good.slice(0, -1);
  assert.throws(() => decodeSketchesInto(torn, createSketch()), RangeError);
  assert.throws(() => decodeSketchesInto(Uint8Array.of(9, 0, 0), createSketch()), RangeError);
  const endless = new Uint8Array(40).fill(0xff);
  endless[0] = 1;
  assert.throws(() => decodeSketchesInto(endless, createSketch()), RangeError);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const target = createSketch();
      try {
        decodeSketchesInto(bytes, target);
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
      assert.ok(target.counts.length <= maxBuckets);
    }),
  );
  assert.equal(decodeSketchesInto(new Uint8Array(0), createSketch()), 0);
});
