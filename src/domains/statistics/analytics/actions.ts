import { kinds } from "../../../kinds/index.ts";
import type { Kind } from "../../../kinds/kind.ts";
import type { Database } from "../../../platform/database.ts";
import { invalid, notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { type Check, getCheck, listWatchedKinds } from "../../checks/index.ts";
import {
  type CheckOfKind,
  type CheckSums,
  type InBucket,
  listRunBuckets,
  sumRuns,
  verdictCodes,
} from "../../runs/index.ts";
import type { StatisticsContext } from "../context.ts";
import {
  addRolledRow,
  addRunSums,
  addTotal,
  createRollup,
  createTotal,
  type FigureKind,
  noFigures,
  type Rollup,
} from "../rollups/rollup.ts";
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

export interface PartSummary {
  /** Exact where the kind's counters have it. */
  readonly avg: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface CheckSummary {
  readonly checkId: string;
  /** Final runs by verdict. */
  readonly runs: {
    readonly unknown: number;
    readonly passing: number;
    readonly degraded: number;
    readonly failing: number;
  };
  /** From 0 to 1, by the one formula of uptime; null when no run reached a verdict. */
  readonly availability: number | null;
  /** Over all samples, within one percent; null when there were none. */
  readonly latencyMs: {
    readonly avg: number | null;
    readonly min: number | null;
    readonly max: number | null;
    readonly p50: number | null;
    readonly p90: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
  /** Those parts of runs that the kind shows in a summary, by the name of their metric. */
  readonly parts: Readonly<Record<string, PartSummary>>;
  /** The averages of the same parts, by their own names. */
  readonly averages: Readonly<Record<string, number | null>>;
}

type AnalyticsContext = Pick<StatisticsContext, "db" | "clock">;

export type CheckToSum = CheckOfKind & { readonly kind: FigureKind };

/** In the order of the ids. */
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
 * What some checks did in a window, in the order of the checks. Whose checks they are is for the
 * caller to have asked. The window begins with the hour its beginning lies in.
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
  // Whoever asks for a check twice is told twice.
  const placesOf = Map.groupBy(checkIds.keys(), (place) => checkIds[place]);
  const addRuns = (row: CheckSums) => {
    for (const place of placesOf.get(row.checkId) ?? []) {
      const total = totals[place];
      if (total !== undefined) addRunSums(total, row);
    }
  };
  // Each answer is added up as it comes, while the database works on the next.
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

/** The same for checks of the caller's account; one that is not is not found. */
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
  /** The kind of check that is asked for; one of another kind is not found. */
  readonly type?: string;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly quickRange: QuickRange;
  readonly intervalMinutes: number | null;
  readonly statuses: readonly RunStatus[];
  readonly isByLocation: boolean;
  /** Whether samples are read: a summary is of them, most metrics are not. */
  readonly hasSamples: boolean;
  readonly metrics: readonly Metric[];
  /** Null is all of them. */
  readonly limit: number | null;
  readonly page: number;
}

export interface Series {
  /** Null for all places in one. */
  readonly location: string | null;
  readonly points: readonly { readonly startsMs: number; readonly rollup: Rollup }[];
}

export interface Analytics {
  readonly check: Check;
  readonly window: Span;
  readonly series: readonly Series[];
}

/** Rows of a series in one answer, over all its places. */
export const maxRows = 10_000;
const maxSpanDays = keptDays.daily;
/** Single results are many: this long a time of them is added up in a moment. */
const maxRawDays = 31;

/** Each point of time within the window, whether anything ran then or not. */
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
  // Only an end: as long before it as the range is.
  const fromMs = request.fromMs ?? toMs - (range.toMs - range.fromMs);
  if (fromMs >= toMs) throw invalid("from", "must be before to", "querystring");
  if (toMs - fromMs > maxSpanDays * dayMs) {
    throw invalid("from", `must be at most ${maxSpanDays} days before to`, "querystring");
  }
  return { fromMs, toMs };
}

function assertBounded(rows: number): void {
  if (rows <= maxRows) return;
  const rule = `makes ${rows} rows where at most ${maxRows} are given: choose a longer interval`;
  throw invalid("aggregationInterval", rule, "querystring");
}

function assertKept(window: Span, unit: "result" | "hour" | "day", nowMs: number): void {
  if (unit === "result" && window.toMs - window.fromMs > maxRawDays * dayMs) {
    const rule =
      `must be at most ${maxRawDays} days before to with filterByStatus, ` +
      "or with an aggregationInterval that is no multiple of 60";
    throw invalid("from", rule, "querystring");
  }
  if (unit === "hour" && window.fromMs < hourlyKeptFrom(nowMs)) {
    const rule = `must be a multiple of 1440 for times over ${keptDays.hourly} days ago`;
    throw invalid("aggregationInterval", rule, "querystring");
  }
}

/** A page is a part of the window, the same for each place. */
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

/** Roll-ups by place and bucket. Without places there is one series, even of nothing. */
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
