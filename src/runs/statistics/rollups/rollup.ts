import { allKinds } from "../../../kinds/index.ts";
import type { FigureVisitor } from "../../../kinds/kit/figures.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import {
  createSketch,
  decodeSketchesInto,
  mergeSketch,
  type Sketch,
} from "../../../platform/sketch.ts";
import type { RunSums } from "../../results/index.ts";
import { addPart, addQuickly } from "../sketch-statistics.ts";

const hourMs = 3_600_000;

/** Size of an hour's record in a running total: five 4-byte integers and an 8-byte sum. */
const hourRecordBytes = 28;

/** Fields of a kind that statistics need. */
export type FigureKind = Pick<Kind, "counters" | "parts" | "figureBytes" | "readFigures">;

/** Empty kind for a deleted check, whose real kind is unknown. */
export const noFigures: FigureKind = {
  counters: [],
  parts: [],
  figureBytes: 0,
  readFigures: () => {},
};

const countNames = ["unknown", "passing", "degraded", "failing", "retries"] as const;
type Counts = Readonly<Record<(typeof countNames)[number], number>>;

/**
 * Sums over the runs of a time range. An attempt that was retried counts only as a retry. All other
 * figures come from the last attempt of each run. The object is mutable, because thousands of rows
 * are added to it.
 */
export interface Rollup extends Record<(typeof countNames)[number], number> {
  readonly kind: FigureKind;
  /** Values of the kind's `counters`, in the same order. */
  readonly counters: number[];
  /** Sketch of all samples of all runs. */
  readonly samples: Sketch;
  /** One sketch per part of the kind, in the same order; `null` for a part that was not read. */
  readonly parts: readonly (Sketch | null)[];
}

/** Sums over roll-ups. The sketches are concatenated, and a query may leave out some sketches. */
export type RolledRow = Counts & {
  readonly samples?: Uint8Array | null;
} & Readonly<Record<`counter_${number}`, number | null>> &
  Readonly<Partial<Record<`part_${number}`, Uint8Array | null>>>;

/** Roll-ups without counters and parts. Each column is an array, one element per hour or day. */
export interface PlainRollups {
  readonly checkIds: string[];
  readonly startsMs: number[];
  readonly passing: number[];
  readonly failing: number[];
  readonly sampleCounts: number[];
  readonly sampleSumsMs: number[];
  readonly samples: Uint8Array[];
  /** Encoded sketches of the running totals. */
  readonly totalSamples: Uint8Array[];
}

/** Difference of running totals: counts are subtracted, the sketches to subtract are separate. */
export type TotalRow = RolledRow & { readonly samples_taken_out: Uint8Array | null } & Readonly<
    Partial<Record<`part_${number}_taken_out`, Uint8Array | null>>
  >;

/** Creates a sketch with buckets from 0.05 ms to 5 s, because adding buckets copies the sketch. */
function createSampleSketch(): Sketch {
  return { count: 0, zeroCount: 0, firstIndex: -150, counts: new Float64Array(576) };
}

function createSums(kind: FigureKind, parts: readonly (Sketch | null)[]): Rollup {
  return {
    kind,
    unknown: 0,
    passing: 0,
    degraded: 0,
    failing: 0,
    retries: 0,
    counters: kind.counters.map(() => 0),
    samples: createSampleSketch(),
    parts,
  };
}

export function createRollup(kind: FigureKind): Rollup {
  return createSums(
    kind,
    kind.parts.map(() => createSketch()),
  );
}

/** Creates an empty roll-up that has only the parts shown in summaries. */
export function createTotal(kind: FigureKind): Rollup {
  return createSums(
    kind,
    kind.parts.map(({ summary }) => (summary === undefined ? null : createSketch())),
  );
}

function addCounts(target: Rollup, source: Counts): void {
  for (const name of countNames) target[name] += source[name];
}

/** Adds `source` to `target`, which must be of the same kind. */
export function addRollup(target: Rollup, source: Rollup): void {
  addCounts(target, source);
  for (const [place, count] of source.counters.entries()) {
    target.counters[place] = (target.counters[place] ?? 0) + count;
  }
  mergeSketch(target.samples, source.samples);
  for (const [place, part] of source.parts.entries()) {
    const sketch = target.parts[place];
    if (part && sketch) mergeSketch(sketch, part);
  }
}

/** Sets all values of a roll-up to zero without releasing its memory. */
export function clearRollup(rollup: Rollup): void {
  for (const name of countNames) rollup[name] = 0;
  rollup.counters.fill(0);
  clearSketch(rollup.samples);
  for (const part of rollup.parts) if (part) clearSketch(part);
}

function clearSketch(sketch: Sketch): void {
  sketch.count = 0;
  sketch.zeroCount = 0;
  sketch.counts.fill(0);
}

/** Returns a copy without unused buckets, for callers that keep many roll-ups in memory. */
export function trimRollup(rollup: Rollup): Rollup {
  return {
    ...rollup,
    counters: [...rollup.counters],
    samples: trimSketch(rollup.samples),
    parts: rollup.parts.map((part) => part && trimSketch(part)),
  };
}

function trimSketch({ count, zeroCount, firstIndex, counts }: Sketch): Sketch {
  let first = 0;
  // Often all values are zero, for example for packet loss. The bucket search is then skipped.
  let end = count === zeroCount ? 0 : counts.length;
  while (first < end && counts[first] === 0) first += 1;
  while (end > first && counts[end - 1] === 0) end -= 1;
  return { count, zeroCount, firstIndex: firstIndex + first, counts: counts.slice(first, end) };
}

function addCounters(target: Rollup, row: RolledRow): void {
  const { counters } = target;
  for (let place = 0; place < counters.length; place += 1) {
    counters[place] = (counters[place] ?? 0) + (row[counterKeys[place] ?? "counter_1"] ?? 0);
  }
}

export function addRolledRow(target: Rollup, row: RolledRow): void {
  addCounts(target, row);
  addCounters(target, row);
  if (row.samples) decodeSketchesInto(row.samples, target.samples);
  for (const [place, sketch] of target.parts.entries()) {
    const bytes = row[partKeys[place] ?? "part_1"];
    if (sketch && bytes) decodeSketchesInto(bytes, sketch);
  }
}

/** Adds a row that contains only the parts shown in summaries, in the order of these parts. */
export function addSummaryRow(target: Rollup, row: RolledRow): void {
  addCounts(target, row);
  addCounters(target, row);
  if (row.samples) decodeSketchesInto(row.samples, target.samples);
  for (const [place, sketch] of listShown(target).entries()) {
    const bytes = row[summaryPartKeys[place] ?? "part_1"];
    if (bytes) decodeSketchesInto(bytes, sketch);
  }
}

const listShown = ({ parts }: Rollup) => parts.filter((part) => part !== null);

/** Adds the difference of two running totals: the later total minus the earlier total. */
export function addTotal(target: Rollup, row: TotalRow): void {
  addCounts(target, row);
  addCounters(target, row);
  if (row.samples) decodeSketchesInto(row.samples, target.samples);
  if (row.samples_taken_out) decodeSketchesInto(row.samples_taken_out, target.samples, -1);
  for (const [place, sketch] of listShown(target).entries()) {
    const key = summaryPartKeys[place] ?? "part_1";
    const added = row[key];
    const takenOut = row[`${key}_taken_out`];
    if (added) decodeSketchesInto(added, sketch);
    if (takenOut) decodeSketchesInto(takenOut, sketch, -1);
  }
}

/** Adds the figures of runs to a roll-up. The kind reads them from the encoded results. */
class FigureAdder implements FigureVisitor {
  readonly #target: Rollup;

  constructor(target: Rollup) {
    this.#target = target;
  }

  counter(place: number, value: number): void {
    const { counters } = this.#target;
    counters[place] = (counters[place] ?? 0) + value;
  }

  part(place: number, value: number): void {
    const sketch = this.#target.parts[place];
    const definition = this.#target.kind.parts[place];
    if (sketch && definition) addPart(sketch, value, definition.unit);
  }

  sample(valueMs: number): void {
    addQuickly(this.#target.samples, valueMs);
  }
}

const viewOf = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function addRunSums(target: Rollup, sums: RunSums): void {
  addCounts(target, sums);
  const { kind } = target;
  const adder = new FigureAdder(target);
  if (sums.samples) decodeSketchesInto(sums.samples, target.samples);
  if (sums.figures) {
    const view = viewOf(sums.figures);
    for (let at = 0; at < view.byteLength; at += kind.figureBytes) {
      kind.readFigures(view, at, at + kind.figureBytes, adder);
    }
  }
  if (!sums.oldDetails) return;
  const view = viewOf(sums.oldDetails);
  for (let at = 0; at < view.byteLength; ) {
    const from = at + 4;
    at = from + view.getUint32(at);
    kind.readFigures(view, from, at, adder);
  }
}

/**
 * Returns the maximum of a count over all kinds, such as the number of counters of a kind. Roll-ups
 * of all kinds share the same tables, so counters and parts are stored in array columns. Queries
 * return each array element as a separate column, and need as many columns as the kind with the
 * most elements.
 */
const most = (count: (kind: (typeof allKinds)[number]) => number) =>
  Math.max(0, ...allKinds.map(count));

const listKeys = <Prefix extends string>(prefix: Prefix, count: number) =>
  Array.from({ length: count }, (_, place): `${Prefix}_${number}` => `${prefix}_${place + 1}`);

export const counterKeys = listKeys(
  "counter",
  most(({ counters }) => counters.length),
);
export const partKeys = listKeys(
  "part",
  most(({ parts }) => parts.length),
);
/** Columns of the parts in running totals, which contain only the parts shown in summaries. */
export const summaryPartKeys = partKeys.slice(
  0,
  most(({ parts }) => parts.filter(({ summary }) => summary !== undefined).length),
);

export const sumCounters = (sign = "") =>
  counterKeys.map((key, place) => `sum(${sign}counters[${place + 1}]) as ${key}`).join(", ");

export const joinSketch = (key: string, place: number) =>
  `string_agg(parts[${place + 1}], ''::bytea) as ${key}`;

export const joinSketches = (keys: readonly string[]) => keys.map(joinSketch).join(", ");

/** SQL expression that encodes the record of an hour from the sums over its locations. */
export const hourRecordSql = `int4send(extract(hour from starts_at at time zone 'UTC')::int)
  || int4send((passing + degraded + failing)::int) || int4send(degraded::int)
  || int4send(failing::int) || int4send(sample_count::int)
  || float8send(coalesce(sample_sum_ms, 0))`;

export interface HourPoint {
  readonly startsMs: number;
  /** Average of all samples; `null` if there are no samples. */
  readonly avgMs: number | null;
  /** Number of runs with a verdict. */
  readonly runs: number;
  readonly degraded: number;
  readonly failing: number;
}

export function readHourRecords(
  bytes: Uint8Array,
  dayStartMs: number,
  visit: (point: HourPoint) => void,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + hourRecordBytes <= bytes.length; at += hourRecordBytes) {
    const samples = view.getInt32(at + 16);
    visit({
      startsMs: dayStartMs + view.getInt32(at) * hourMs,
      avgMs: samples > 0 ? view.getFloat64(at + 20) / samples : null,
      runs: view.getInt32(at + 4),
      degraded: view.getInt32(at + 8),
      failing: view.getInt32(at + 12),
    });
  }
}
