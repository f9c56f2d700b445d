import { forEachRtt } from "../packet-codec.ts";
import {
  addToSketch,
  createSketch,
  decodeSketchesInto,
  mergeSketch,
  type Sketch,
} from "../sketch.ts";
import { addLoss } from "./sketch-statistics.ts";

/** One sketch over all packets, and one of each figure that a run has. */
export const sketchNames = ["rtt", "avg", "min", "max", "std_dev", "loss"] as const;
export type SketchName = (typeof sketchNames)[number];

/**
 * What the runs of some stretch of time amount to. An attempt that was tried again counts as a
 * retry and in nothing else: whatever a run found is what its last attempt found. It is mutable,
 * as rows by the thousand are added up in one.
 */
export interface Rollup {
  unknown: number;
  passing: number;
  degraded: number;
  failing: number;
  retries: number;
  packets_sent: number;
  packets_received: number;
  readonly sketches: Readonly<Record<SketchName, Sketch>>;
}

const countNames = [
  "unknown",
  "passing",
  "degraded",
  "failing",
  "retries",
  "packets_sent",
  "packets_received",
] as const;

export type Counts = Readonly<Record<(typeof countNames)[number], number>>;

/** Sums over roll-ups, with their sketches one after another; a query may leave some out. */
export type RolledRow = Counts & {
  readonly [name in SketchName]?: Uint8Array | null;
};

/** Sums over results: all packets one after another, and each figure as floats of four bytes. */
export type RawRow = Counts & {
  readonly packets?: Uint8Array | null;
} & { readonly [name in Exclude<SketchName, "rtt">]?: Uint8Array | null };

/**
 * The place under which running totals are kept: over all places, from the beginning of the day
 * to the end of an hour, or from the beginning of a block of days to the end of a day. The sum of
 * any stretch is the difference of two of them, so it costs the same however long it is. They
 * have what a summary asks for: the counts, and the sketches named here.
 */
export const everywhere = "";
export const totalSketches = ["rtt", "loss"] as const satisfies readonly SketchName[];

/**
 * Round trips from a twentieth of a millisecond to five seconds have their buckets from the start:
 * a sketch that grows bucket by bucket is copied as often.
 */
function createRttSketch(): Sketch {
  return { ...createSketch(), firstIndex: -150, counts: new Float64Array(576) };
}

export function createRollup(): Rollup {
  return {
    unknown: 0,
    passing: 0,
    degraded: 0,
    failing: 0,
    retries: 0,
    packets_sent: 0,
    packets_received: 0,
    sketches: {
      rtt: createRttSketch(),
      avg: createSketch(),
      min: createSketch(),
      max: createSketch(),
      std_dev: createSketch(),
      loss: createSketch(),
    },
  };
}

function addCounts(target: Rollup, source: Counts): void {
  for (const name of countNames) target[name] += source[name];
}

export function addRollup(target: Rollup, source: Rollup): void {
  addCounts(target, source);
  for (const name of sketchNames) mergeSketch(target.sketches[name], source.sketches[name]);
}

/** Takes an earlier total out of a later one, which has all that the earlier one has. */
export function subtractRolledRow(target: Rollup, row: RolledRow): void {
  const earlier = createRollup();
  addRolledRow(earlier, row);
  for (const name of countNames) target[name] -= earlier[name];
  for (const name of totalSketches) subtractSketch(target.sketches[name], earlier.sketches[name]);
}

function subtractSketch(target: Sketch, source: Sketch): void {
  target.count -= source.count;
  target.zeroCount -= source.zeroCount;
  const shift = source.firstIndex - target.firstIndex;
  for (const [place, times] of source.counts.entries()) {
    if (times > 0) target.counts[place + shift] = (target.counts[place + shift] ?? 0) - times;
  }
}

export function addRolledRow(target: Rollup, row: RolledRow): void {
  addCounts(target, row);
  for (const name of sketchNames) {
    const bytes = row[name];
    if (bytes) decodeSketchesInto(bytes, target.sketches[name]);
  }
}

const perRun = ["avg", "min", "max", "std_dev"] as const;

export function addRawRow(target: Rollup, row: RawRow): void {
  addCounts(target, row);
  const { rtt, loss } = target.sketches;
  if (row.packets) forEachRtt(row.packets, (rttMs) => addToSketch(rtt, rttMs));
  for (const name of perRun) {
    const sketch = target.sketches[name];
    forEachFloat(row[name], (value) => addToSketch(sketch, value));
  }
  forEachFloat(row.loss, (lossPercent) => addLoss(loss, lossPercent));
}

/** In the order of bytes in which PostgreSQL's `float4send` writes them. */
function forEachFloat(bytes: Uint8Array | null | undefined, visit: (value: number) => void): void {
  if (!bytes) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += 4) visit(view.getFloat32(at));
}

/** Exact, as packets are counted. Null when none was sent. */
export function computeLossPercent({ packets_sent, packets_received }: Counts): number | null {
  if (packets_sent === 0) return null;
  return (100 * Math.max(0, packets_sent - packets_received)) / packets_sent;
}
