/** Of a slot in an answer of the API, what a chart draws. */
export interface Slot {
  readonly at: string;
  readonly runs: number;
  readonly failing: number;
  readonly loss: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface Series {
  readonly total: { readonly runs: number };
  readonly slots: readonly Slot[];
}

/** One list of times and one of values for each line, as uPlot takes them. */
export type Columns = [number[], ...(number | null)[][]];

/** The middle of each slot, in seconds. */
export function listTimes(slots: readonly Slot[], slotSeconds: number): number[] {
  return slots.map(({ at }) => Date.parse(at) / 1_000 + slotSeconds / 2);
}

/** min, max, P50, P95, P99. */
export function toColumns({ slots }: Series, slotSeconds: number): Columns {
  return [
    listTimes(slots, slotSeconds),
    slots.map(({ min }) => min),
    slots.map(({ max }) => max),
    slots.map(({ p50 }) => p50),
    slots.map(({ p95 }) => p95),
    slots.map(({ p99 }) => p99),
  ];
}

/** Bars below the lines: the share lost where the kind counts it, or else the share that failed. */
export function listBars({ slots }: Series): {
  readonly isLoss: boolean;
  readonly shares: number[];
} {
  const isLoss = slots.some(({ loss }) => loss !== null);
  const shares = slots.map((slot) => {
    const failed = slot.runs === 0 ? 0 : slot.failing / slot.runs;
    return isLoss ? Math.max((slot.loss ?? 0) / 100, slot.loss === null ? failed : 0) : failed;
  });
  return { isLoss, shares };
}

/**
 * The top of the scale for all charts of one answer. A single long answer must not flatten all
 * others: beyond a multiple of P99 the band is cut.
 */
export function findTop(series: readonly Series[]): number {
  let highest = 0;
  let usual = 0;
  for (const { slots } of series) {
    for (const { max, p99 } of slots) {
      highest = Math.max(highest, max ?? 0);
      usual = Math.max(usual, p99 ?? 0);
    }
  }
  return Math.min(highest, usual * 1.5) * 1.05 || 1;
}

/** False for what is not measured, as pings that come by themselves: there is no scale then. */
export function hasFigures(series: readonly Series[]): boolean {
  return series.some(({ slots }) => slots.some(({ max }) => max !== null));
}

export function hasRuns(series: readonly Series[]): boolean {
  return series.some(({ total }) => total.runs > 0);
}

/** The slot that a moment lies in; null: outside of the range. */
export function findSlot(
  { slots }: Series,
  second: number,
  slotSeconds: number,
): { readonly slot: Slot; readonly place: number } | null {
  const [first] = slots;
  if (first === undefined) return null;
  const place = Math.floor((second - Date.parse(first.at) / 1_000) / slotSeconds);
  const slot = slots[place];
  return slot === undefined ? null : { slot, place };
}
