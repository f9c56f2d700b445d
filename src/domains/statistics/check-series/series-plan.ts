import { alignWindow, type Buckets, dayMs, hourlyKeptFrom, hourMs, type Span } from "../window.ts";

/** The source of a series: single runs, or rolled-up hours or days. */
export type SeriesSource = "runs" | "hours" | "days";

export interface SeriesPlan {
  readonly source: SeriesSource;
  readonly window: Span;
  readonly slotMs: number;
  readonly buckets: Buckets;
}

export interface SeriesNeed {
  readonly span: Span;
  /** Maximum number of slots. */
  readonly points: number;
  /** Interval between runs of one series. */
  readonly periodMs: number;
  /** Expected number of runs in the span, over all locations. */
  readonly expectedRuns: number;
  /** Single runs before this time have been deleted. */
  readonly runsKeptFromMs: number;
  readonly nowMs: number;
}

const minuteMs = 60_000;
/** All divide a day or are whole days, so that slot boundaries do not move as time passes. */
const runSlotsMs = [10_000, 30_000, ...[1, 2, 5, 10, 15, 30].map((count) => count * minuteMs)];
const hourSlotsMs = [1, 2, 3, 4, 6, 8, 12, 24].map((count) => count * hourMs);
const daySlotsMs = [1, 2, 3, 7, 14, 28, 56, 112].map((count) => count * dayMs);

/** Summing this number of runs takes about as long as summing 31 days of hours. */
export const maxRuns = 10_000;
/** A month, plus the partial first slot. */
export const maxHours = 32 * 24;

function countSlots({ fromMs, toMs }: Span, slotMs: number): number {
  return Math.ceil(toMs / slotMs) - Math.floor(fromMs / slotMs);
}

function chooseSource(need: SeriesNeed): SeriesSource {
  const { span, nowMs } = need;
  const finestMs = chooseSlot(need, runSlotsMs);
  const isInRuns = span.fromMs - (finestMs ?? 0) >= need.runsKeptFromMs;
  if (finestMs !== null && isInRuns && need.expectedRuns <= maxRuns) return "runs";
  const hours = (span.toMs - span.fromMs) / hourMs;
  return hours <= maxHours && span.fromMs >= hourlyKeptFrom(nowMs) + dayMs ? "hours" : "days";
}

/** Returns the shortest slot length that yields few enough slots; `null` if there is none. */
function chooseSlot({ span, points, periodMs }: SeriesNeed, slotsMs: readonly number[]) {
  const fits = (slotMs: number) => countSlots(span, slotMs) <= points;
  // Slots shorter than the period would be mostly empty.
  return slotsMs.find((slotMs) => slotMs >= periodMs && fits(slotMs)) ?? null;
}

/**
 * Short spans are read from a bounded number of runs, a month from hours and longer spans from
 * days, so that the cost does not grow with the length.
 */
export function planSeries(need: SeriesNeed): SeriesPlan {
  const source = chooseSource(need);
  const slots = { runs: runSlotsMs, hours: [...hourSlotsMs, ...daySlotsMs], days: daySlotsMs };
  const slotMs = chooseSlot(need, slots[source]) ?? daySlotsMs.at(-1) ?? dayMs;
  return place(need, source, slotMs);
}

function place({ span, nowMs }: SeriesNeed, source: SeriesSource, slotMs: number): SeriesPlan {
  const begun = { fromMs: Math.floor(span.fromMs / slotMs) * slotMs, toMs: span.toMs };
  const window = source === "runs" ? begun : alignWindow(begun, nowMs);
  const last = countSlots({ fromMs: window.fromMs, toMs: window.toMs }, slotMs) - 1;
  return {
    source,
    window,
    slotMs,
    buckets: { anchorMs: window.fromMs, intervalMs: slotMs, first: 0, last },
  };
}
