import { addToSketch, quantile, relativeError, type Sketch } from "../sketch.ts";

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

/** What the values of a sketch mean: milliseconds as they are, or loss on its own scale. */
type Reading = (value: number) => number;
const asItIs: Reading = (value) => value;

/**
 * Loss is a few round numbers, such as 10 or 100 percent, and a percent away from those looks
 * wrong. So a sketch of losses has a bucket for each tenth of a percent: a loss is added as the
 * value in the middle of the bucket with that number.
 */
const lossStep = 10;

export function addLoss(sketch: Sketch, lossPercent: number): void {
  const bucket = Math.round(lossPercent * lossStep);
  addToSketch(sketch, bucket <= 0 ? 0 : gamma ** (bucket - 0.5));
}

export const asLossPercent: Reading = (value) =>
  value <= 0 ? 0 : Math.ceil(Math.log(value) / logGamma) / lossStep;

/** Null when the sketch holds nothing. */
export function aggregate(
  sketch: Sketch,
  aggregation: Aggregation,
  reading: Reading = asItIs,
): number | null {
  if (sketch.count === 0) return null;
  const share = shares[aggregation];
  if (share !== undefined) {
    const value = quantile(sketch, share);
    return value === null ? null : reading(value);
  }
  const { sum, sumOfSquares } = computeMoments(sketch, reading);
  if (aggregation === "sum") return sum;
  const mean = sum / sketch.count;
  if (aggregation === "avg") return mean;
  // Rounding can bring the difference of two large numbers below zero.
  return Math.sqrt(Math.max(0, sumOfSquares / sketch.count - mean ** 2));
}

/** A bucket's values are taken to be in its middle, which none is more than 1 % away from. */
function computeMoments(sketch: Sketch, reading: Reading) {
  const { counts, firstIndex } = sketch;
  let sum = 0;
  let sumOfSquares = 0;
  for (let place = 0; place < counts.length; place += 1) {
    const times = counts[place] ?? 0;
    if (times === 0) continue;
    const value = reading(gamma ** (firstIndex + place) * (2 / (gamma + 1)));
    sum += times * value;
    sumOfSquares += times * value ** 2;
  }
  return { sum, sumOfSquares };
}
