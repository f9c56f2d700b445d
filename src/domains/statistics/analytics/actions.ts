import { invalid, notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { type Check, getCheck } from "../../checks/index.ts";
import { verdictCodes } from "../../runs/index.ts";
import type { StatisticsContext } from "../context.ts";
import {
  addRawRow,
  addRolledRow,
  computeLossPercent,
  createRollup,
  createTotal,
  createTotalAdder,
  type RawRow,
  type RolledRow,
  type Rollup,
  type Total,
} from "../rollups/rollup.ts";
import { aggregate, asLossPercent, readShares } from "../sketch-statistics.ts";
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
  type InBucket,
  listResultBuckets,
  listRollupBuckets,
  type SeriesQuery,
  sumResults,
  sumTotals,
} from "./analytics-store.ts";
import type { Metric } from "./metrics.ts";

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
  /** Of all packets, exactly. */
  readonly packetLossPercent: number | null;
  /** Of the runs. */
  readonly packetLossP95Percent: number | null;
  readonly packetLossP99Percent: number | null;
  /** Over all packets that were answered, within one percent; null when there were none. */
  readonly latencyMs: {
    readonly avg: number | null;
    readonly min: number | null;
    readonly max: number | null;
    readonly p50: number | null;
    readonly p90: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
}

/** Single results are most of the work, which is shared among connections. */
const rawChunk = 50;

type AnalyticsContext = Pick<StatisticsContext, "db" | "clock">;

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
  const pieces = planPieces(aligned, await findRolledTimes(db, aligned, "day"));
  const totals = checkIds.map(() => createTotal());
  const totalOf = (place: number) => totals[place - 1] ?? createTotal();
  const addTotal = createTotalAdder();
  const addTotals = async () => {
    const marks = {
      daily_rollups: planMarks(pieces.days, blockMs),
      hourly_rollups: planMarks(pieces.hours, dayMs),
    };
    for (const row of await sumTotals(db, checkIds, marks)) addTotal(totalOf(row.place), row);
  };
  const addRaw = async (span: Span, offset: number) => {
    const some = checkIds.slice(offset, offset + rawChunk);
    for (const row of await sumResults(db, some, span)) {
      addRawRow(totalOf(offset + row.place), row);
    }
  };
  const chunks = Array.from({ length: Math.ceil(checkIds.length / rawChunk) }, (_, n) => n);
  // Each answer is added up as it comes, while the database works on the next.
  await Promise.all([
    ...pieces.raw.flatMap((span) => chunks.map((chunk) => addRaw(span, chunk * rawChunk))),
    addTotals(),
  ]);
  return checkIds.map((checkId, index) => summarise(checkId, totals[index] ?? createTotal()));
}

export function summarise(checkId: string, total: Total): CheckSummary {
  const { unknown, passing, degraded, failing, sketches } = total;
  const [min = null, p50 = null, p90 = null, p95 = null, p99 = null, max = null] = readShares(
    sketches.rtt,
    [0, 0.5, 0.9, 0.95, 0.99, 1],
  );
  const [lossP95 = null, lossP99 = null] = readShares(sketches.loss, [0.95, 0.99], asLossPercent);
  return {
    checkId,
    runs: { unknown, passing, degraded, failing },
    availability: computeAvailability(total),
    packetLossPercent: computeLossPercent(total),
    packetLossP95Percent: lossP95,
    packetLossP99Percent: lossP99,
    latencyMs: { avg: aggregate(sketches.rtt, "avg"), min, max, p50, p90, p95, p99 },
  };
}

/** The same for checks of the caller's account; one that is not is not found. */
export async function summariseOwnChecks(
  context: StatisticsContext,
  caller: Caller,
  wish: { readonly checkIds: readonly string[]; readonly quickRange: QuickRange },
): Promise<CheckSummary[]> {
  const checkIds = [...new Set(wish.checkIds.map((id) => id.toLowerCase()))];
  const watched = await context.watchList.find(checkIds);
  if (checkIds.some((id) => watched.get(id)?.accountId !== caller.accountId)) throw notFound();
  const window = resolveQuickRange(wish.quickRange, context.clock.now().getTime());
  return summariseChecks(context, checkIds, window);
}

export type RunStatus = "success" | "failure";

export interface AnalyticsWish {
  readonly checkId: string;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly quickRange: QuickRange;
  readonly intervalMinutes: number | null;
  readonly statuses: readonly RunStatus[];
  readonly isByLocation: boolean;
  /** Metrics are of runs; a summary is of packets. */
  readonly hasPackets: boolean;
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

export interface IcmpAnalytics {
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
export async function getIcmpAnalytics(
  context: StatisticsContext,
  caller: Caller,
  wish: AnalyticsWish,
): Promise<IcmpAnalytics> {
  const check = await getCheck(context, caller, wish.checkId);
  const nowMs = context.clock.now().getTime();
  const window = alignWindow(decideWindow(wish, nowMs), nowMs);
  const intervalMinutes = wish.intervalMinutes ?? chooseIntervalMinutes(window);
  const buckets = planBuckets(window, intervalMinutes);
  assertBounded(countBuckets(buckets));
  const unit = wish.statuses.length > 0 ? "result" : unitOfInterval(intervalMinutes);
  assertKept(window, unit, nowMs);
  const rolled =
    unit === "result"
      ? { hours: new Set<number>(), days: new Set<number>() }
      : await findRolledTimes(context.db, window, unit);
  const { isByLocation, hasPackets } = wish;
  const query = { checkId: check.id, buckets, isByLocation, hasPackets };
  const found = await readSeries(context, query, {
    pieces: planPieces(window, rolled),
    statuses: wish.statuses,
  });
  assertBounded(countBuckets(buckets) * found.size);
  const [first, last] = decidePage(wish, buckets);
  const series = [...found].sort(byLocation).map(([location, points]) => ({
    location,
    points: Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => ({
      startsMs: buckets.anchorMs + (first + place) * buckets.intervalMs,
      rollup: points.get(first + place) ?? createRollup(),
    })),
  }));
  return { check, window, series };
}

function byLocation([one]: [string | null, unknown], [other]: [string | null, unknown]): number {
  return (one ?? "") < (other ?? "") ? -1 : 1;
}

function decideWindow(wish: AnalyticsWish, nowMs: number): Span {
  const range = resolveQuickRange(wish.quickRange, nowMs);
  const toMs = wish.toMs ?? (wish.fromMs === null ? range.toMs : nowMs);
  // Only an end: as long before it as the range is.
  const fromMs = wish.fromMs ?? toMs - (range.toMs - range.fromMs);
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
  { limit, page }: AnalyticsWish,
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
async function readSeries(
  { db }: AnalyticsContext,
  query: SeriesQuery,
  source: { readonly pieces: Pieces; readonly statuses: readonly RunStatus[] },
): Promise<Map<string | null, Points>> {
  const { pieces, statuses } = source;
  const found = new Map<string | null, Points>();
  if (!query.isByLocation) found.set(null, new Map());
  const rollupOf = ({ location, bucket }: InBucket<unknown>): Rollup => {
    const points = found.get(location) ?? new Map<number, Rollup>();
    found.set(location, points);
    const rollup = points.get(bucket) ?? createRollup();
    points.set(bucket, rollup);
    return rollup;
  };
  const addRolled = (rows: readonly InBucket<RolledRow>[]) => {
    for (const row of rows) addRolledRow(rollupOf(row), row);
  };
  const addRaw = (rows: readonly InBucket<RawRow>[]) => {
    for (const row of rows) addRawRow(rollupOf(row), row);
  };
  const all = Object.values(verdictCodes);
  const verdicts = statuses.length === 0 ? all : statuses.flatMap((status) => verdictsOf[status]);
  await Promise.all([
    listRollupBuckets(db, "daily_rollups", query, pieces.days).then(addRolled),
    listRollupBuckets(db, "hourly_rollups", query, pieces.hours).then(addRolled),
    ...pieces.raw.map((span) => listResultBuckets(db, query, verdicts, span).then(addRaw)),
  ]);
  return found;
}
