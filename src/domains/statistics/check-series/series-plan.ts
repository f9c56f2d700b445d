import { alignWindow, type Buckets, dayMs, hourlyKeptFrom, hourMs, type Span } from "../window.ts";

/** What a series is read from: single runs, or hours and days that were rolled up. */
export type SeriesSource = "runs" | "hours" | "days";

export interface SeriesPlan {
  readonly source: SeriesSource;
  readonly window: Span;
  readonly slotMs: number;
  readonly buckets: Buckets;
}

export interface SeriesNeed {
  readonly span: Span;
  /** At most so many slots. */
  readonly points: number;
  /** Between runs that are in one series. */
  readonly periodMs: number;
  /** Runs that the span is expected to have, from all locations. */
  readonly expectedRuns: number;
  /** Single runs from before this are gone. */
  readonly runsKeptFromMs: number;
  readonly nowMs: number;
}

const minuteMs = 60_000;
/** All divide a day or are whole days, so that slots stay where they are while time goes on. */
const runSlotsMs = [10_000, 30_000, ...[1, 2, 5, 10, 15, 30].map((count) => count * minuteMs)];
const hourSlotsMs = [1, 2, 3, 4, 6, 8, 12, 24].map((count) => count * hourMs);
const daySlotsMs = [1, 2, 3, 7, 14, 28, 56, 112].map((count) => count * dayMs);

/** So many single runs are added up in about the time that 31 days of hours are. */
export const maxRuns = 10_000;
/** A month, with what its first slot begins before it. */
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

/** The shortest slots that are few enough; null: none of these are. */
function chooseSlot({ span, points, periodMs }: SeriesNeed, slotsMs: readonly number[]) {
  const fits = (slotMs: number) => countSlots(span, slotMs) <= points;
  // A slot shorter than the period would be empty most of the time.
  return slotsMs.find((slotMs) => slotMs >= periodMs && fits(slotMs)) ?? null;
}

/**
 * Short spans are read from single runs, which are bounded in number, a month from hours and more
 * from days: what a series costs does not grow with its length.
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
