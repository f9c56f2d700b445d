import type { Caller } from "../../../access/accounts/index.ts";
import type { PartDefinition } from "../../../kinds/kit/figures.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import { invalid, notFound } from "../../../platform/errors.ts";
import type { Sketch } from "../../../platform/sketch.ts";
import { findOldestPartition } from "../../results/index.ts";
import { byLocation, readSeries } from "../analytics/actions.ts";
import { findRolledTimes } from "../analytics/analytics-store.ts";
import type { StatisticsContext } from "../context.ts";
import { addRollup, createRollup, type Rollup } from "../rollups/rollup.ts";
import {
  alignWindow,
  type Buckets,
  countBuckets,
  dayMs,
  hourlyKeptFrom,
  hourMs,
  keptDays,
  planPieces,
  type Span,
} from "../window.ts";

/** Source of a series: single runs, hourly roll-ups or daily roll-ups. */
type SeriesSource = "runs" | "hours" | "days";

interface SeriesPlan {
  readonly source: SeriesSource;
  readonly window: Span;
  readonly slotMs: number;
  readonly buckets: Buckets;
}

export interface SeriesNeed {
  readonly span: Span;
  /** Maximum number of points in the series. */
  readonly points: number;
  /** Interval between two runs of the check at one location. */
  readonly periodMs: number;
  /** Expected number of runs in the time span, for all locations together. */
  readonly expectedRuns: number;
  /** Single runs before this time have been deleted by retention. */
  readonly runsKeptFromMs: number;
  readonly nowMs: number;
}

const minuteMs = 60_000;
/** Slot lengths: parts of a day or whole days, so that slot boundaries do not move over time. */
const runSlotsMs = [10_000, 30_000, ...[1, 2, 5, 10, 15, 30].map((count) => count * minuteMs)];
const hourSlotsMs = [1, 2, 3, 4, 6, 8, 12, 24].map((count) => count * hourMs);
const daySlotsMs = [1, 2, 3, 7, 14, 28, 56, 112].map((count) => count * dayMs);

/** Maximum number of runs to read, which takes about as long as 31 days of hourly roll-ups. */
export const maxRuns = 10_000;
/** Maximum number of hourly roll-ups to read: a month and the partial first slot. */
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

/** Returns the shortest slot length that yields at most `points` slots, or `null`. */
function chooseSlot({ span, points, periodMs }: SeriesNeed, slotsMs: readonly number[]) {
  const fits = (slotMs: number) => countSlots(span, slotMs) <= points;
  // A slot shorter than the period would usually contain no run.
  return slotsMs.find((slotMs) => slotMs >= periodMs && fits(slotMs)) ?? null;
}

/**
 * Chooses the source and the slots of a series. Short spans use a limited number of runs, spans of
 * up to a month use hourly roll-ups, and longer spans use daily roll-ups. The cost therefore does
 * not increase with the length of the span.
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

/** Metric of a series: the samples of the kind, or one part of its runs. */
export interface SeriesMetric {
  readonly name: string;
  readonly label: string;
  readonly unit: PartDefinition["unit"];
  /** Index of the part in the kind's list of parts; `null` if the metric is the samples. */
  readonly place: number | null;
}

export interface SeriesRequest {
  readonly checkId: string;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly points: number;
  readonly isByLocation: boolean;
  /** Name of the metric; `null` for the samples, which are the main metric of every kind. */
  readonly metric: string | null;
}

export interface CheckSeries {
  readonly checkId: string;
  readonly kind: Kind;
  readonly plan: SeriesPlan;
  readonly metric: SeriesMetric;
  readonly metrics: readonly SeriesMetric[];
  readonly series: readonly {
    readonly location: string | null;
    readonly total: Rollup;
    readonly slots: readonly { readonly startsMs: number; readonly rollup: Rollup }[];
  }[];
}

/** Maximum number of slots in a response, counted for all locations together. */
const maxSlots = 6_000;

function listSeriesMetrics({ samples, parts }: Kind): SeriesMetric[] {
  const noun = `${samples.noun.charAt(0).toUpperCase()}${samples.noun.slice(1)}`;
  const label = samples.label ?? noun;
  return [
    { name: samples.metric, label, unit: "milliseconds", place: null },
    ...parts.map(({ metric, label, unit }, place) => ({ name: metric, label, unit, place })),
  ];
}

export const sketchOf = ({ place }: SeriesMetric, rollup: Rollup): Sketch | null =>
  place === null ? rollup.samples : (rollup.parts[place] ?? null);

function chooseMetric(metrics: readonly SeriesMetric[], name: string | null): SeriesMetric {
  const found = name === null ? metrics[0] : metrics.find((metric) => metric.name === name);
  if (found !== undefined) return found;
  const names = metrics.map((metric) => metric.name).join(", ");
  throw invalid("metric", `must be one of ${names}`, "querystring");
}

function decideSpan({ fromMs, toMs }: SeriesRequest, nowMs: number) {
  const end = toMs ?? nowMs;
  const span = { fromMs: fromMs ?? end - dayMs, toMs: end };
  if (span.fromMs >= span.toMs) throw invalid("from", "must be before to", "querystring");
  if (span.toMs - span.fromMs > keptDays.daily * dayMs) {
    const rule = `must be at most ${keptDays.daily} days before to`;
    throw invalid("from", rule, "querystring");
  }
  return span;
}

/** Returns the values of a metric in slots of equal length, including slots without runs. */
export async function getCheckSeries(
  context: StatisticsContext,
  caller: Caller,
  request: SeriesRequest,
): Promise<CheckSeries> {
  const { db, clock } = context;
  const checkId = request.checkId.toLowerCase();
  const watched = (await context.watchList.find([checkId])).get(checkId);
  if (watched?.accountId !== caller.accountId) throw notFound();
  const { kind, settings, places } = watched;
  const metrics = listSeriesMetrics(kind);
  const metric = chooseMetric(metrics, request.metric);
  const nowMs = clock.now().getTime();
  const span = decideSpan(request, nowMs);
  const { periodMs } = watched.plan;
  const { isByLocation } = request;
  const placesAtOnce = settings.runParallel ? places.length : 1;
  const isInTurn = isByLocation && !settings.runParallel;
  const shared = isByLocation ? Math.max(places.length, 1) : 1;
  const plan = planSeries({
    span,
    points: Math.max(1, Math.min(request.points, Math.floor(maxSlots / shared))),
    periodMs: periodMs * (isInTurn ? places.length : 1),
    expectedRuns: ((span.toMs - span.fromMs) / periodMs) * placesAtOnce,
    runsKeptFromMs: await findOldestPartition(db),
    nowMs,
  });
  const query = {
    checkId,
    kind,
    buckets: plan.buckets,
    isByLocation,
    hasSamples: metric.place === null,
    partPlaces: metric.place === null ? [] : [metric.place],
  };
  const pieces = planPieces(plan.window, await findRolled(context, plan));
  const found = await readSeries(context, query, { pieces, statuses: [] });
  const series = [...found].sort(byLocation).map(([location, points]) => {
    const total = createRollup(kind);
    for (const rollup of points.values()) addRollup(total, rollup);
    const slots = Array.from({ length: countBuckets(plan.buckets) }, (_, place) => ({
      startsMs: plan.buckets.anchorMs + place * plan.slotMs,
      rollup: points.get(place) ?? createRollup(kind),
    }));
    return { location, total, slots };
  });
  return { checkId, kind, plan, metric, metrics, series };
}

function findRolled({ db }: StatisticsContext, { source, window }: SeriesPlan) {
  if (source === "runs") return { hours: new Set<number>(), days: new Set<number>() };
  return findRolledTimes(db, window, source === "days" ? "day" : "hour");
}
