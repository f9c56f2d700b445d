import { forEachRtt } from "../../../kinds/icmp/packet-codec.ts";
import {
  addToSketch,
  createSketch,
  decodeSketchesInto,
  mergeSketch,
  type Sketch,
} from "../sketch.ts";
import { addLoss, addQuickly } from "../sketch-statistics.ts";

/** One sketch over all packets, and one of each figure that a run has. */
export const sketchNames = ["rtt", "avg", "min", "max", "std_dev", "loss"] as const;
export type SketchName = (typeof sketchNames)[number];

export const countNames = [
  "unknown",
  "passing",
  "degraded",
  "failing",
  "retries",
  "packets_sent",
  "packets_received",
] as const;
type CountName = (typeof countNames)[number];
export type Counts = Readonly<Record<CountName, number>>;

/** Mutable, as rows by the thousand are added up in one. */
interface Sum extends Record<CountName, number> {
  readonly sketches: { readonly [name in SketchName]?: Sketch };
}

/**
 * What the runs of some stretch of time amount to. An attempt that was tried again counts as a
 * retry and in nothing else: whatever a run found is what its last attempt found.
 */
export interface Rollup extends Sum {
  readonly sketches: Readonly<Record<SketchName, Sketch>>;
}

/**
 * The place under which running totals are kept: over all places, from the beginning of the day
 * to the end of an hour, or from the beginning of a block of days to the end of a day. The sum of
 * any stretch is the difference of two of them, so it costs the same however long it is. They
 * have what a summary asks for: the counts, and the sketches named here.
 */
export const everywhere = "";
export const totalSketches = ["rtt", "loss"] as const satisfies readonly SketchName[];

export interface Total extends Sum {
  readonly sketches: Readonly<Record<(typeof totalSketches)[number], Sketch>>;
}

/** Sums over roll-ups, with their sketches one after another; a query may leave some out. */
export type RolledRow = Counts & {
  readonly [name in SketchName]?: Uint8Array | null;
};

/** The difference of totals: counts are subtracted already, and sketches still are to be. */
export type TotalRow = RolledRow & {
  readonly rtt_taken_out: Uint8Array | null;
  readonly loss_taken_out: Uint8Array | null;
};

/** Sums over results: all packets one after another, and each figure as floats of four bytes. */
export type RawRow = Counts & {
  readonly packets?: Uint8Array | null;
  /** Runs that lost nothing, where the losses leave them out. */
  readonly lossless?: number;
} & { readonly [name in Exclude<SketchName, "rtt">]?: Uint8Array | null };

/**
 * Round trips from a twentieth of a millisecond to five seconds have their buckets from the start:
 * a sketch that grows bucket by bucket is copied as often.
 */
function createRttSketch(): Sketch {
  return { count: 0, zeroCount: 0, firstIndex: -150, counts: new Float64Array(576) };
}

function createCounts(): Record<CountName, number> {
  return {
    unknown: 0,
    passing: 0,
    degraded: 0,
    failing: 0,
    retries: 0,
    packets_sent: 0,
    packets_received: 0,
  };
}

export function createTotal(): Total {
  return { ...createCounts(), sketches: { rtt: createRttSketch(), loss: createSketch() } };
}

export function createRollup(): Rollup {
  return {
    ...createCounts(),
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

function addCounts(target: Sum, source: Counts): void {
  for (const name of countNames) target[name] += source[name];
}

export function addRollup(target: Rollup, source: Rollup): void {
  addCounts(target, source);
  for (const name of sketchNames) mergeSketch(target.sketches[name], source.sketches[name]);
}

/** As if nothing had been added yet, in the same memory. */
export function clearTotal(total: Total): void {
  for (const name of countNames) total[name] = 0;
  for (const name of totalSketches) clearSketch(total.sketches[name]);
}

function clearSketch(sketch: Sketch): void {
  sketch.count = 0;
  sketch.zeroCount = 0;
  sketch.counts.fill(0);
}

/** A copy without the room that nothing is in, for whoever keeps many. */
export function trimTotal(total: Total): Total {
  const { rtt, loss } = total.sketches;
  return { ...total, sketches: { rtt: trimSketch(rtt), loss: trimSketch(loss) } };
}

function trimSketch({ count, zeroCount, firstIndex, counts }: Sketch): Sketch {
  let first = 0;
  // Most runs lose nothing, so that of two sketches one is empty.
  let end = count === zeroCount ? 0 : counts.length;
  while (first < end && counts[first] === 0) first += 1;
  while (end > first && counts[end - 1] === 0) end -= 1;
  return { count, zeroCount, firstIndex: firstIndex + first, counts: counts.slice(first, end) };
}

/** Adds all that a total holds to another; the source stays as it is. */
export function addTotal(target: Total, source: Total): void {
  addCounts(target, source);
  for (const name of totalSketches) mergeSketch(target.sketches[name], source.sketches[name]);
}

export function addRolledRow(target: Sum, row: RolledRow): void {
  addCounts(target, row);
  for (const name of sketchNames) {
    const bytes = row[name];
    const sketch = target.sketches[name];
    if (bytes && sketch) decodeSketchesInto(bytes, sketch);
  }
}

/**
 * For many rows one after another: what an earlier total has is taken out of a later one, which
 * has all of it, in the same memory again and again.
 */
export function createTotalAdder(): (target: Total, row: TotalRow) => void {
  const earlier = { rtt: createRttSketch(), loss: createSketch() };
  return (target, row) => {
    addRolledRow(target, row);
    for (const name of totalSketches) {
      const bytes = row[`${name}_taken_out`];
      if (!bytes) continue;
      clearSketch(earlier[name]);
      decodeSketchesInto(bytes, earlier[name]);
      subtractSketch(target.sketches[name], earlier[name]);
    }
  };
}

function subtractSketch(target: Sketch, source: Sketch): void {
  target.count -= source.count;
  target.zeroCount -= source.zeroCount;
  const shift = source.firstIndex - target.firstIndex;
  for (let place = 0; place < source.counts.length; place += 1) {
    const times = source.counts[place] ?? 0;
    if (times > 0) target.counts[place + shift] = (target.counts[place + shift] ?? 0) - times;
  }
}

const perRun = ["avg", "min", "max", "std_dev"] as const;

export function addRawRow(target: Sum, row: RawRow): void {
  addCounts(target, row);
  const { rtt, loss } = target.sketches;
  if (row.packets && rtt) forEachRtt(row.packets, (rttMs) => addQuickly(rtt, rttMs));
  for (const name of perRun) {
    const sketch = target.sketches[name];
    if (sketch) forEachFloat(row[name], (value) => addToSketch(sketch, value));
  }
  if (!loss) return;
  addToSketch(loss, 0, row.lossless ?? 0);
  forEachFloat(row.loss, (lossPercent) => addLoss(loss, lossPercent));
}

/** In the order of bytes in which PostgreSQL's `float4send` writes them. */
function forEachFloat(bytes: Uint8Array | null | undefined, visit: (value: number) => void): void {
  if (!bytes) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += 4) visit(view.getFloat32(at));
}

/** Exact, as packets are counted. Null when none was sent. */
export function computeLossPercent({
  packets_sent,
  packets_received,
}: Pick<Counts, "packets_sent" | "packets_received">): number | null {
  if (packets_sent === 0) return null;
  return (100 * Math.max(0, packets_sent - packets_received)) / packets_sent;
}
