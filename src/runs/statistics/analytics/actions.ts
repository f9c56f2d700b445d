import type { Caller } from "../../../access/accounts/index.ts";
import { type Check, getCheck } from "../../../checks/checks/index.ts";
import { kinds } from "../../../kinds/index.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import type { Database } from "../../../platform/database.ts";
import { invalid, notFound } from "../../../platform/errors.ts";
import {
  type InBucket,
  listRunBuckets,
  type RunSums,
  sumRuns,
  verdictCodes,
} from "../../results/index.ts";
import type { StatisticsContext } from "../context.ts";
import {
  addRolledRow,
  addRollup,
  addRunSums,
  addTotal,
  createRollup,
  createTotal,
  type FigureKind,
  noFigures,
  type Rollup,
} from "../rollups/rollup.ts";
import { listWatchedKinds } from "../rollups/rollup-store.ts";
import { aggregate, readingOf, readShares } from "../sketch-statistics.ts";
import { computeAvailability } from "../uptime.ts";
import {
  alignWindow,
  blockMs,
  chooseIntervalMinutes,
  countBuckets,
  dayMs,
  hourlyKeptFrom,
  keptDays,
  type Pieces,
  planBuckets,
  planMarks,
  planPieces,
  type QuickRange,
  resolveQuickRange,
  type Span,
  unitOfInterval,
} from "../window.ts";
import {
  findRolledTimes,
  listRollupBuckets,
  type Marks,
  type SeriesQuery,
  sumTotals,
} from "./analytics-store.ts";
import type { Metric } from "./metrics.ts";

interface PartSummary {
  /**
   * Average of a part, which is a number with one value per run. Exact if the kind calculates the
   * average from its counters; otherwise estimated from a sketch.
   */
  readonly avg: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface CheckSummary {
  readonly checkId: string;
  /** Number of final runs by verdict. Attempts that were retried are not included. */
  readonly runs: {
    readonly unknown: number;
    readonly passing: number;
    readonly degraded: number;
    readonly failing: number;
  };
  /** Share of runs that were passing or degraded, from 0 to 1; `null` if no run has a verdict. */
  readonly availability: number | null;
  /** Response times of all samples, accurate to 1 %; `null` values if there are no samples. */
  readonly latencyMs: {
    readonly avg: number | null;
    readonly min: number | null;
    readonly max: number | null;
    readonly p50: number | null;
    readonly p90: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
  /**
   * Summaries of parts, such as the connection time, keyed by metric name. Only the parts that the
   * kind shows in summaries are included.
   */
  readonly parts: Readonly<Record<string, PartSummary>>;
  /** Averages of the parts that the kind shows in summaries, keyed by part name. */
  readonly averages: Readonly<Record<string, number | null>>;
}

type AnalyticsContext = Pick<StatisticsContext, "db" | "clock">;

export interface CheckToSum {
  readonly checkId: string;
  readonly kind: FigureKind;
}

/** Returns each check with its kind, in the order of the given ids. */
export async function findFigureKinds(
  db: Database,
  checkIds: readonly string[],
): Promise<CheckToSum[]> {
  const kinds = await listWatchedKinds(db, checkIds);
  return checkIds.map((checkId) => ({ checkId, kind: kinds.get(checkId) ?? noFigures }));
}

export function toMarks({ days, hours }: Pieces): Marks {
  return { days: planMarks(days, blockMs), hours: planMarks(hours, dayMs) };
}

/**
 * Summarises checks over a window, in the order of the given ids. The caller must have authorised
 * access to the checks. The window is extended to the start of its first hour.
 */
export async function summariseChecks(
  { db, clock }: AnalyticsContext,
  checkIds: readonly string[],
  window: Span,
): Promise<CheckSummary[]> {
  const aligned = alignWindow(window, clock.now().getTime());
  const [rolled, checks] = await Promise.all([
    findRolledTimes(db, aligned, "day"),
    findFigureKinds(db, checkIds),
  ]);
  const pieces = planPieces(aligned, rolled);
  const totals = checks.map(({ kind }) => createTotal(kind));
  const addTotals = async () => {
    for (const row of await sumTotals(db, checkIds, toMarks(pieces))) {
      const total = totals[row.place - 1];
      if (total !== undefined) addTotal(total, row);
    }
  };
  // An id that occurs twice in the request occurs twice in the response.
  const placesOf = Map.groupBy(checkIds.keys(), (place) => checkIds[place]);
  const addRuns = (row: RunSums & { readonly checkId: string }) => {
    for (const place of placesOf.get(row.checkId) ?? []) {
      const total = totals[place];
      if (total !== undefined) addRunSums(total, row);
    }
  };
  // Each query's rows are processed on arrival, while the database executes the next query.
  await Promise.all([...pieces.raw.map((span) => sumRuns(db, checks, span, addRuns)), addTotals()]);
  return totals.map((total, index) => summarise(checkIds[index] ?? "", total));
}

export function summarise(checkId: string, total: Rollup): CheckSummary {
  const { unknown, passing, degraded, failing, samples } = total;
  const [min = null, p50 = null, p90 = null, p95 = null, p99 = null, max = null] = readShares(
    samples,
    [0, 0.5, 0.9, 0.95, 0.99, 1],
  );
  const parts = summariseParts(total);
  return {
    checkId,
    runs: { unknown, passing, degraded, failing },
    availability: computeAvailability(total),
    latencyMs: { avg: aggregate(samples, "avg"), min, max, p50, p90, p95, p99 },
    parts,
    averages: Object.fromEntries(
      total.kind.parts.flatMap(({ name, metric }) => {
        const part = parts[metric];
        return part === undefined ? [] : [[name, part.avg]];
      }),
    ),
  };
}

function summariseParts({ kind, counters, parts }: Rollup): Record<string, PartSummary> {
  return Object.fromEntries(
    kind.parts.flatMap(({ metric, unit, average, summary }, place) => {
      const sketch = parts[place];
      if (summary === undefined || !sketch) return [];
      const reading = readingOf(unit);
      const [p95 = null, p99 = null] = readShares(sketch, [0.95, 0.99], reading);
      const avg = average === undefined ? aggregate(sketch, "avg", reading) : average(counters);
      return [[metric, { avg, p95, p99 }]];
    }),
  );
}

/** Summarises checks of the caller's account. Other checks cause a not-found error. */
export async function summariseOwnChecks(
  context: StatisticsContext,
  caller: Caller,
  request: { readonly checkIds: readonly string[]; readonly quickRange: QuickRange },
): Promise<{ readonly kind: Kind; readonly summary: CheckSummary }[]> {
  const checkIds = [...new Set(request.checkIds.map((id) => id.toLowerCase()))];
  const watched = await context.watchList.find(checkIds);
  if (checkIds.some((id) => watched.get(id)?.accountId !== caller.accountId)) throw notFound();
  const window = resolveQuickRange(request.quickRange, context.clock.now().getTime());
  const summaries = await summariseChecks(context, checkIds, window);
  return summaries.flatMap((summary) => {
    const kind = watched.get(summary.checkId)?.kind;
    return kind === undefined ? [] : [{ kind, summary }];
  });
}

export type RunStatus = "success" | "failure";

export interface AnalyticsRequest {
  readonly checkId: string;
  /** Required kind of the check. A check of a different kind causes a not-found error. */
  readonly type?: string;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly quickRange: QuickRange;
  readonly intervalMinutes: number | null;
  readonly statuses: readonly RunStatus[];
  readonly isByLocation: boolean;
  /** Whether to read the samples, which summaries need but most metrics do not. */
  readonly hasSamples: boolean;
  readonly metrics: readonly Metric[];
  /** Maximum number of rows of a location in one page of results; `null` for all rows. */
  readonly limit: number | null;
  readonly page: number;
}

interface Series {
  /** Location of the series; `null` for a series of all locations together. */
  readonly location: string | null;
  readonly points: readonly { readonly startsMs: number; readonly rollup: Rollup }[];
}

export interface Analytics {
  readonly check: Check;
  readonly window: Span;
  readonly series: readonly Series[];
}

/** Maximum number of rows in a response, counted for all locations together. */
export const maxRows = 10_000;
const maxSpanDays = keptDays.daily;
/** Maximum length of a window that is computed from single results. */
const maxRawDays = 31;

/** Returns a point for every interval of the window, including intervals without runs. */
export async function getAnalytics(
  context: StatisticsContext,
  caller: Caller,
  request: AnalyticsRequest,
): Promise<Analytics> {
  const check = await getCheck(context, caller, request.checkId);
  const kind = kinds[check.kind];
  if (request.type !== undefined && request.type !== kind.type) throw notFound();
  const nowMs = context.clock.now().getTime();
  const window = alignWindow(decideWindow(request, nowMs), nowMs);
  const intervalMinutes = request.intervalMinutes ?? chooseIntervalMinutes(window);
  const buckets = planBuckets(window, intervalMinutes);
  assertBounded(countBuckets(buckets));
  const unit = request.statuses.length > 0 ? "result" : unitOfInterval(intervalMinutes);
  assertKept(window, unit, nowMs);
  const rolled =
    unit === "result"
      ? { hours: new Set<number>(), days: new Set<number>() }
      : await findRolledTimes(context.db, window, unit);
  const { isByLocation, hasSamples } = request;
  const query = { checkId: check.id, kind, buckets, isByLocation, hasSamples };
  const found = await readSeries(context, query, {
    pieces: planPieces(window, rolled),
    statuses: request.statuses,
  });
  assertBounded(countBuckets(buckets) * found.size);
  const [first, last] = decidePage(request, buckets);
  const series = [...found].sort(byLocation).map(([location, points]) => ({
    location,
    points: Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => ({
      startsMs: buckets.anchorMs + (first + place) * buckets.intervalMs,
      rollup: points.get(first + place) ?? createRollup(kind),
    })),
  }));
  return { check, window, series };
}

export function byLocation(
  [one]: [string | null, unknown],
  [other]: [string | null, unknown],
): number {
  return (one ?? "") < (other ?? "") ? -1 : 1;
}

function decideWindow(request: AnalyticsRequest, nowMs: number): Span {
  const range = resolveQuickRange(request.quickRange, nowMs);
  const toMs = request.toMs ?? (request.fromMs === null ? range.toMs : nowMs);
  // If only `toMs` is given, the window ends at `toMs` and has the length of the quick range.
  const fromMs = request.fromMs ?? toMs - (range.toMs - range.fromMs);
  if (fromMs >= toMs) throw invalid("from", "must be before to", "querystring");
  if (toMs - fromMs > maxSpanDays * dayMs) {
    throw invalid("from", `must be at most ${maxSpanDays} days before to`, "querystring");
  }
  return { fromMs, toMs };
}

function assertBounded(rows: number): void {
  if (rows <= maxRows) return;
  const rule = `yields ${rows} rows, more than the limit of ${maxRows}: choose a longer interval`;
  throw invalid("aggregationInterval", rule, "querystring");
}

function assertKept(window: Span, unit: "result" | "hour" | "day", nowMs: number): void {
  if (unit === "result" && window.toMs - window.fromMs > maxRawDays * dayMs) {
    const rule =
      `must be at most ${maxRawDays} days before to with filterByStatus, ` +
      "or with an aggregationInterval that is not a multiple of 60";
    throw invalid("from", rule, "querystring");
  }
  if (unit === "hour" && window.fromMs < hourlyKeptFrom(nowMs)) {
    const rule = `must be a multiple of 1440 for data older than ${keptDays.hourly} days`;
    throw invalid("aggregationInterval", rule, "querystring");
  }
}

/** Returns the first and last bucket of a page. The pages of all locations are the same. */
function decidePage(
  { limit, page }: AnalyticsRequest,
  buckets: { readonly first: number; readonly last: number },
): [number, number] {
  if (limit === null) return [buckets.first, buckets.last];
  const first = buckets.first + Math.max(0, page - 1) * limit;
  return [first, Math.min(first + limit - 1, buckets.last)];
}

const verdictsOf: Readonly<Record<RunStatus, readonly number[]>> = {
  success: [verdictCodes.passing, verdictCodes.degraded],
  failure: [verdictCodes.failing],
};

type Points = Map<number, Rollup>;

/** Returns roll-ups by location and bucket; exactly one series if not grouped by location. */
export async function readSeries(
  { db }: AnalyticsContext,
  query: SeriesQuery & { readonly kind: Kind },
  source: { readonly pieces: Pieces; readonly statuses: readonly RunStatus[] },
): Promise<Map<string | null, Points>> {
  const { pieces, statuses } = source;
  const found = new Map<string | null, Points>();
  if (!query.isByLocation) found.set(null, new Map());
  const rollupOf = ({ location, bucket }: InBucket<unknown>): Rollup => {
    const points = found.get(location) ?? new Map<number, Rollup>();
    found.set(location, points);
    const rollup = points.get(bucket) ?? createRollup(query.kind);
    points.set(bucket, rollup);
    return rollup;
  };
  const all = Object.values(verdictCodes);
  const verdicts = statuses.length === 0 ? all : statuses.flatMap((status) => verdictsOf[status]);
  const check = { checkId: query.checkId, kind: query.kind };
  const addRolled = async (table: "daily_rollups" | "hourly_rollups", spans: readonly Span[]) => {
    for (const row of await listRollupBuckets(db, table, query, spans)) {
      addRolledRow(rollupOf(row), row);
    }
  };
  const addRuns = async (span: Span) => {
    for (const row of await listRunBuckets(db, { ...query, check, verdicts }, span)) {
      addRunSums(rollupOf(row), row);
    }
  };
  await Promise.all([
    addRolled("daily_rollups", pieces.days),
    addRolled("hourly_rollups", pieces.hours),
    ...pieces.raw.map(addRuns),
  ]);
  return found;
}

interface LocationSummary extends CheckSummary {
  readonly location: string;
}

/** The interval is as long as possible, because the points are only summed. */
const longestIntervalMinutes = 43_200;

export async function summariseByLocation(
  context: StatisticsContext,
  caller: Caller,
  { checkId, window }: { readonly checkId: string; readonly window: Span },
): Promise<LocationSummary[]> {
  const { check, series } = await getAnalytics(context, caller, {
    checkId,
    ...window,
    quickRange: "last24Hours",
    intervalMinutes: longestIntervalMinutes,
    statuses: [],
    isByLocation: true,
    hasSamples: true,
    metrics: [],
    limit: null,
    page: 1,
  });
  return series.map(({ location, points }) => {
    const sum = createRollup(kinds[check.kind]);
    for (const { rollup } of points) addRollup(sum, rollup);
    return { location: location ?? "", ...summarise(checkId, sum) };
  });
}
