import type { PartDefinition } from "../../kinds/kit/figures.ts";
import { addToSketch, relativeError, type Sketch } from "../../platform/sketch.ts";

export const aggregations = [
  "avg",
  "max",
  "median",
  "min",
  "p50",
  "p90",
  "p95",
  "p99",
  "stddev",
  "sum",
] as const;
export type Aggregation = (typeof aggregations)[number];

const gamma = (1 + relativeError) / (1 - relativeError);
const logGamma = Math.log(gamma);

const shares: Readonly<Partial<Record<Aggregation, number>>> = {
  min: 0,
  p50: 0.5,
  median: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  max: 1,
};

/** Converts a value of a sketch to its unit: milliseconds are unchanged, percentages scaled. */
type Reading = (value: number) => number;
const asItIs: Reading = (value) => value;

/** Values of the most common buckets, computed in advance because the power function is slow. */
const lowestKept = -1_024;
const middles = Float64Array.from({ length: 4_096 }, (_, at) => computeMiddle(at + lowestKept));

/** Returns the value of a bucket, which differs from every value in the bucket by at most 1 %. */
function computeMiddle(index: number): number {
  return Math.min(gamma ** index * (2 / (gamma + 1)), Number.MAX_VALUE);
}

function middleOf(index: number): number {
  return middles[index - lowestKept] ?? computeMiddle(index);
}

/**
 * Adds one value to a sketch. An existing bucket is incremented directly, because `addToSketch` is
 * slower and an hour of many checks has several hundred thousand samples.
 */
export function addQuickly(sketch: Sketch, value: number): void {
  const place = Math.ceil(Math.log(value) / logGamma) - sketch.firstIndex;
  if (place >= 0 && place < sketch.counts.length) {
    sketch.count += 1;
    sketch.counts[place] = (sketch.counts[place] ?? 0) + 1;
  } else {
    addToSketch(sketch, value);
  }
}

/**
 * Number of buckets per percentage point in sketches of percentages. Percentages are often round
 * numbers such as 10 or 100, for which an error of 1 % would look wrong. Each tenth of a percent
 * therefore has its own bucket. For example, 12.3 % is stored in bucket 123, as the middle value of
 * this bucket.
 */
const bucketsPerPercent = 10;

export function addPercent(sketch: Sketch, percent: number): void {
  const bucket = Math.round(percent * bucketsPerPercent);
  addToSketch(sketch, bucket <= 0 ? 0 : gamma ** (bucket - 0.5));
}

export const asPercent: Reading = (value) =>
  value <= 0 ? 0 : Math.ceil(Math.log(value) / logGamma) / bucketsPerPercent;

type Unit = PartDefinition["unit"];

export function addPart(sketch: Sketch, value: number, unit: Unit): void {
  if (unit === "percentage") addPercent(sketch, value);
  else addToSketch(sketch, value);
}

export const readingOf = (unit: Unit): Reading => (unit === "percentage" ? asPercent : asItIs);

/** Returns the values at the ascending quantiles; all are `null` if the sketch is empty. */
export function readShares(
  sketch: Sketch,
  rising: readonly number[],
  reading: Reading = asItIs,
): (number | null)[] {
  if (sketch.count === 0) return rising.map(() => null);
  const ranks = rising.map((share) => Math.floor(share * (sketch.count - 1)));
  const found: number[] = [];
  let passed = sketch.zeroCount;
  while (found.length < ranks.length && passed > (ranks[found.length] ?? 0)) found.push(0);
  const { counts, firstIndex } = sketch;
  for (let place = 0; place < counts.length && found.length < ranks.length; place += 1) {
    const times = counts[place] ?? 0;
    if (times === 0) continue;
    passed += times;
    while (found.length < ranks.length && passed > (ranks[found.length] ?? 0)) {
      found.push(reading(middleOf(firstIndex + place)));
    }
  }
  return rising.map((_, index) => found[index] ?? null);
}

/** Aggregates the values of a sketch; `null` if the sketch is empty. */
export function aggregate(
  sketch: Sketch,
  aggregation: Aggregation,
  reading: Reading = asItIs,
): number | null {
  if (sketch.count === 0) return null;
  const share = shares[aggregation];
  if (share !== undefined) return readShares(sketch, [share], reading)[0] ?? null;
  const { sum, sumOfSquares } = computeMoments(sketch, reading);
  if (aggregation === "sum") return sum;
  const mean = sum / sketch.count;
  if (aggregation === "avg") return mean;
  // Rounding errors can make the variance slightly negative.
  return Math.sqrt(Math.max(0, sumOfSquares / sketch.count - mean ** 2));
}

function computeMoments(sketch: Sketch, reading: Reading) {
  const { counts, firstIndex } = sketch;
  let sum = 0;
  let sumOfSquares = 0;
  for (let place = 0; place < counts.length; place += 1) {
    const times = counts[place] ?? 0;
    if (times === 0) continue;
    const value = reading(middleOf(firstIndex + place));
    sum += times * value;
    sumOfSquares += times * value * value;
  }
  return { sum, sumOfSquares };
}
