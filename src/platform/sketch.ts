/**
 * A DDSketch: it counts values in buckets whose bounds grow by a constant factor. Every quantile is
 * within one percent of the exact value. The sum of two sketches is the sketch of all their values.
 * A sketch is mutable and uses one typed array, because thousands of sketches are merged for one
 * chart.
 */
export interface Sketch {
  /** Total number of values, including zeros. */
  count: number;
  /** Number of values too small for a bucket: zeros, and values below measurement precision. */
  zeroCount: number;
  /** Index of the bucket that the first element of `counts` represents. */
  firstIndex: number;
  /** Count of each bucket. The array is empty until the first value that needs a bucket. */
  counts: Float64Array;
}

export const relativeError = 0.01;
/**
 * Maximum number of buckets. It is enough for values that differ by a factor of 10^17. Above it,
 * the lowest buckets are merged.
 */
export const maxBuckets = 2_048;

const gamma = (1 + relativeError) / (1 - relativeError);
const logGamma = Math.log(gamma);
const smallestValue = 1e-9;
const format = 1;
/** Format byte of the short encoding. The number of values (0 to 63) is added to it. */
const fewFormat = 64;
const maxFew = 63;
const slack = 32;
/**
 * Buffer that all calls of `encodeSketch` share, because allocating a large array each time is
 * expensive.
 */
const scratch = new Uint8Array(32 + maxBuckets * 12);
/**
 * Maximum index of a bucket. No finite number belongs to a bucket with a higher index, so an
 * encoded sketch that contains a higher index is invalid.
 */
const maxIndex = 36_000;

export function createSketch(): Sketch {
  return { count: 0, zeroCount: 0, firstIndex: 0, counts: new Float64Array(0) };
}

/** Adds a value `times` times. Negative values count as zero; infinities and NaN are ignored. */
export function addToSketch(sketch: Sketch, value: number, times = 1): void {
  if (!Number.isFinite(value) || times <= 0) return;
  sketch.count += times;
  if (value < smallestValue) {
    sketch.zeroCount += times;
    return;
  }
  const index = Math.ceil(Math.log(value) / logGamma);
  reserve(sketch, index, index);
  addAt(sketch, index, times);
}

/** Adds all values of the source to the target. The source does not change. */
export function mergeSketch(target: Sketch, source: Sketch): void {
  target.count += source.count;
  target.zeroCount += source.zeroCount;
  const { counts, firstIndex } = source;
  let first = 0;
  let last = counts.length - 1;
  while (first <= last && counts[first] === 0) first += 1;
  while (last >= first && counts[last] === 0) last -= 1;
  if (last < first) return;
  reserve(target, firstIndex + first, firstIndex + last);
  for (let place = first; place <= last; place += 1) {
    const times = counts[place] ?? 0;
    if (times > 0) addAt(target, firstIndex + place, times);
  }
}

/** Returns the value at a quantile, or `null` if the sketch is empty. */
export function quantile(sketch: Sketch, q: number): number | null {
  if (sketch.count === 0 || Number.isNaN(q)) return null;
  const rank = Math.floor(Math.min(Math.max(q, 0), 1) * (sketch.count - 1));
  let passed = sketch.zeroCount;
  if (passed > rank) return 0;
  const { counts, firstIndex } = sketch;
  let highest = 0;
  for (let place = 0; place < counts.length; place += 1) {
    const times = counts[place] ?? 0;
    if (times === 0) continue;
    passed += times;
    highest = midpointOf(firstIndex + place);
    if (passed > rank) break;
  }
  return highest;
}

/**
 * Encodes a sketch: a format byte, the count of zeros, the number of buckets, and for each bucket
 * its distance from the previous one and its count. An encoding shows where it ends, so encodings
 * can be concatenated, which an SQL aggregate does.
 */
export function encodeSketch(sketch: Sketch): Uint8Array {
  const { counts, firstIndex } = sketch;
  let buckets = 0;
  for (let place = 0; place < counts.length; place += 1) {
    if ((counts[place] ?? 0) > 0) buckets += 1;
  }
  const writer = { bytes: scratch, at: 0 };
  writer.bytes[writer.at++] = format;
  writeVarint(writer, sketch.zeroCount);
  writeVarint(writer, buckets);
  let before: number | null = null;
  for (let place = 0; place < counts.length; place += 1) {
    const times = counts[place] ?? 0;
    if (times === 0) continue;
    const index = firstIndex + place;
    writeVarint(writer, before === null ? toUnsigned(index) : index - before);
    writeVarint(writer, times);
    before = index;
  }
  return writer.bytes.slice(0, writer.at);
}

/**
 * Encodes a few values in a shorter format: a byte with the number of values, and for each value
 * the distance of its bucket from the previous one. It decodes to the same sketch. Falls back to
 * the normal format if the short one is not possible.
 */
export function encodeFew(values: readonly number[]): Uint8Array {
  const indexes: number[] = [];
  for (const value of values) {
    if (value >= smallestValue && value < Number.POSITIVE_INFINITY) {
      indexes.push(Math.ceil(Math.log(value) / logGamma));
    }
  }
  if (indexes.length !== values.length || indexes.length > maxFew) return encodeMany(values);
  indexes.sort((one, other) => one - other);
  const writer = { bytes: new Uint8Array(1 + indexes.length * 3), at: 0 };
  writer.bytes[writer.at++] = fewFormat + indexes.length;
  let before: number | null = null;
  for (const index of indexes) {
    writeVarint(writer, before === null ? toUnsigned(index) : index - before);
    before = index;
  }
  return writer.bytes.slice(0, writer.at);
}

function encodeMany(values: readonly number[]): Uint8Array {
  const sketch = createSketch();
  for (const value of values) addToSketch(sketch, value);
  return encodeSketch(sketch);
}

/** Adds all concatenated sketches to the target, or subtracts them; returns the sketch count. */
export function decodeSketchesInto(bytes: Uint8Array, target: Sketch, sign: 1 | -1 = 1): number {
  const reader = { bytes, at: 0, sign };
  let sketches = 0;
  while (reader.at < bytes.length) {
    const first = bytes[reader.at++] ?? 0;
    if (first >= fewFormat && first <= fewFormat + maxFew) {
      readBuckets(reader, target, first - fewFormat, true);
    } else if (first === format) {
      const zeros = sign * readVarint(reader);
      target.zeroCount += zeros;
      target.count += zeros;
      const buckets = readVarint(reader);
      if (buckets > maxBuckets) throw new RangeError("a sketch has too many buckets");
      readBuckets(reader, target, buckets, false);
    } else {
      throw new RangeError("unknown sketch format");
    }
    sketches += 1;
  }
  return sketches;
}

/** Decodes buckets in one loop with few calls, because a chart may need very many buckets. */
function readBuckets(
  reader: Reader & { readonly sign: 1 | -1 },
  target: Sketch,
  buckets: number,
  isFew: boolean,
): void {
  const { sign } = reader;
  let { counts, firstIndex } = target;
  let index = 0;
  let added = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const step = readVarint(reader);
    index = bucket === 0 ? toSigned(step) : index + step;
    if (Math.abs(index) > maxIndex) throw new RangeError("a sketch has an invalid bucket index");
    const times = isFew ? 1 : readVarint(reader);
    const place = index - firstIndex;
    if (place >= 0 && place < counts.length) {
      counts[place] = (counts[place] ?? 0) + sign * times;
    } else {
      reserve(target, index, index);
      addAt(target, index, sign * times);
      ({ counts, firstIndex } = target);
    }
    added += times;
  }
  target.count += sign * added;
}

/** Returns the value that has the smallest relative error to both ends of the bucket. */
function midpointOf(index: number): number {
  return Math.min(gamma ** index * (2 / (gamma + 1)), Number.MAX_VALUE);
}

/** Adds to the count of a bucket. If the bucket is below the lowest one, adds to the lowest one. */
function addAt(sketch: Sketch, index: number, times: number): void {
  const place = Math.max(index - sketch.firstIndex, 0);
  sketch.counts[place] = (sketch.counts[place] ?? 0) + times;
}

/**
 * Extends the array of counts to the buckets from `lowest` to `highest`. Adds spare buckets below
 * `lowest`, so that the array is rarely extended. If more than `maxBuckets` buckets would be
 * needed, merges the lowest ones.
 */
function reserve(sketch: Sketch, lowest: number, highest: number): void {
  const { counts, firstIndex } = sketch;
  const end = firstIndex + counts.length;
  if (counts.length > 0 && lowest >= firstIndex && highest < end) return;
  if (counts.length === maxBuckets && highest < end) return;
  const isNew = counts.length === 0;
  const newEnd = isNew ? highest + 1 : Math.max(highest + 1, end);
  const wanted = isNew || lowest < firstIndex ? lowest - slack : firstIndex;
  const newFirst = Math.max(wanted, newEnd - maxBuckets);
  const widened = new Float64Array(newEnd - newFirst);
  for (let place = 0; place < counts.length; place += 1) {
    const to = Math.max(firstIndex + place - newFirst, 0);
    widened[to] = (widened[to] ?? 0) + (counts[place] ?? 0);
  }
  sketch.firstIndex = newFirst;
  sketch.counts = widened;
}

interface Reader {
  readonly bytes: Uint8Array;
  at: number;
}

function writeVarint(writer: Reader, value: number): void {
  let rest = value;
  // Use division, because bit shifts would truncate counts above 32 bits.
  while (rest >= 0x80) {
    writer.bytes[writer.at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  writer.bytes[writer.at++] = rest;
}

function readVarint(reader: Reader): number {
  const first = reader.bytes[reader.at] ?? 0x80;
  if (first < 0x80) {
    reader.at += 1;
    return first;
  }
  return readLongVarint(reader);
}

function readLongVarint(reader: Reader): number {
  let value = 0;
  let scale = 1;
  while (true) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw new RangeError("a sketch ends too early");
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
    scale *= 0x80;
    if (scale > Number.MAX_SAFE_INTEGER) throw new RangeError("a sketch has too large a number");
  }
  return value;
}

function toUnsigned(index: number): number {
  return index >= 0 ? 2 * index : -2 * index - 1;
}

function toSigned(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
