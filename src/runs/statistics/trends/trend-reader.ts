import { isCheckType, kinds } from "../../../kinds/index.ts";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { type CheckSummary, summariseChecks } from "../analytics/actions.ts";
import type { StatisticsContext } from "../context.ts";
import { type CoarseSums, sumCoarsely } from "../overviews/overview-store.ts";
import { dayMs, hourMs, startOf } from "../window.ts";

/** Minimum numbers of runs for a trend, because a change in fewer runs may be random. */
const minRecentRuns = 50;
const minEarlierRuns = 200;

export type TrendType = "latency" | "loss" | "failures";

/** A figure that got worse in the last day compared with the seven days before. */
export interface Trend {
  readonly type: TrendType;
  readonly checkId: string;
  readonly name: string;
  readonly earlier: number;
  readonly recent: number;
  /** Number of runs with a verdict in the last day. */
  readonly runs: number;
}

/**
 * Minimum increase of a figure, as a factor and as an absolute value. A trend must reach both
 * values, because small figures double randomly and large figures fluctuate.
 */
const leastRise: Readonly<Record<TrendType, { readonly factor: number; readonly by: number }>> = {
  latency: { factor: 1.2, by: 5 },
  loss: { factor: 1.5, by: 1 },
  failures: { factor: 1.5, by: 1 },
};

export function isWorse(type: TrendType, earlier: number, recent: number): boolean {
  const { factor, by } = leastRise[type];
  return recent >= earlier * factor && recent >= earlier + by;
}

/** Returns the metric names of a kind's parts with percentages, such as packet loss. */
function listShares(kind: string): readonly string[] {
  if (!isCheckType(kind)) return [];
  return kinds[kind].parts
    .filter(({ unit, summary }) => unit === "percentage" && summary !== undefined)
    .map(({ metric }) => metric);
}

function shareOf({ kind, counters }: CoarseSums): number {
  if (!isCheckType(kind)) return 0;
  const shares = kinds[kind].parts
    .filter(({ unit, average }) => unit === "percentage" && average !== undefined)
    .map(({ average }) => average?.([...counters]) ?? 0);
  return Math.max(0, ...shares);
}

const averageMs = ({ sampleCount, sampleSumMs }: CoarseSums) =>
  sampleCount === 0 ? 0 : sampleSumMs / sampleCount;
const badPercent = ({ badRuns, runs }: { readonly badRuns: number; readonly runs: number }) =>
  runs === 0 ? 0 : (100 * badRuns) / runs;

/**
 * Selects the checks whose averages and failure rates increased most. Percentiles are not compared,
 * because the database cannot add them. A check may therefore be missed if only its slowest runs
 * got slower.
 */
export function chooseCandidates(
  earlier: readonly CoarseSums[],
  recent: readonly CoarseSums[],
  limit: number,
): CoarseSums[] {
  const before = new Map(earlier.map((one) => [one.checkId, one]));
  return recent
    .flatMap((now) => {
      const then = before.get(now.checkId);
      if (then === undefined) return [];
      if (now.runs < minRecentRuns || then.runs < minEarlierRuns) return [];
      // Adds one to the earlier and the recent value, which avoids a division by zero.
      const rise = Math.max(
        (averageMs(now) + 1) / (averageMs(then) + 1),
        (shareOf(now) + 1) / (shareOf(then) + 1),
        (badPercent(now) + 1) / (badPercent(then) + 1),
      );
      return rise > 1.05 ? [{ now, rise }] : [];
    })
    .sort((one, other) => other.rise - one.rise)
    .slice(0, limit)
    .map(({ now }) => now);
}

const countRuns = ({ runs }: CheckSummary) => runs.passing + runs.degraded + runs.failing;

/** Finds the figures of a check that got worse, from summaries that include percentiles. */
export function findTrends(
  check: Pick<CoarseSums, "checkId" | "name" | "kind">,
  earlier: CheckSummary,
  recent: CheckSummary,
): Trend[] {
  const runs = countRuns(recent);
  if (runs < minRecentRuns || countRuns(earlier) < minEarlierRuns) return [];
  const badOf = (summary: CheckSummary) =>
    badPercent({
      badRuns: summary.runs.degraded + summary.runs.failing,
      runs: countRuns(summary),
    });
  const compared: [TrendType, number | null | undefined, number | null | undefined][] = [
    ["latency", earlier.latencyMs.p95, recent.latencyMs.p95],
    ...listShares(check.kind).map((metric): [TrendType, number | null, number | null] => [
      "loss",
      earlier.parts[metric]?.avg ?? null,
      recent.parts[metric]?.avg ?? null,
    ]),
    ["failures", badOf(earlier), badOf(recent)],
  ];
  const { checkId, name } = check;
  return compared.flatMap(([type, then, now]) => {
    if (then == null || now == null || !isWorse(type, then, now)) return [];
    return [{ type, checkId, name, earlier: then, recent: now, runs }];
  });
}

/** Maximum number of checks whose percentiles are compared. */
const maxCandidates = 40;
/** Lifetime of cached trends, which hardly change within minutes because they cover days. */
const keptMs = 600_000;
const maxKept = 200;

export interface Trends {
  readonly trends: readonly Trend[];
  readonly asOfMs: number;
}

interface KeptTrends {
  readonly atMs: number;
  readonly found: Promise<Trends>;
}

type Context = Pick<StatisticsContext, "db" | "clock">;

/** Finds figures that got worse in the last day compared with the seven days before. Cached. */
export class TrendReader {
  readonly #context: Context;
  readonly #kept = new BoundedMap<string, KeptTrends>(maxKept);

  constructor(context: Context) {
    this.#context = context;
  }

  read(accountId: string): Promise<Trends> {
    const nowMs = this.#context.clock.now().getTime();
    const known = this.#kept.get(accountId);
    if (known !== undefined && nowMs - known.atMs < keptMs) return known.found;
    const found = this.#find(accountId, nowMs);
    const kept = { atMs: nowMs, found };
    this.#kept.set(accountId, kept);
    found.catch(() => {
      if (this.#kept.get(accountId) === kept) this.#kept.delete(accountId);
    });
    return found;
  }

  async #find(accountId: string, nowMs: number): Promise<Trends> {
    const { db } = this.#context;
    const toMs = startOf(nowMs, hourMs);
    const todayMs = startOf(toMs - dayMs, dayMs);
    const lastDay = { fromMs: toMs - dayMs, toMs };
    const weekBefore = { fromMs: lastDay.fromMs - 7 * dayMs, toMs: lastDay.fromMs };
    const [earlier, recent] = await Promise.all([
      sumCoarsely(db, accountId, { fromMs: todayMs - 7 * dayMs, toMs: todayMs, unit: "day" }),
      sumCoarsely(db, accountId, { ...lastDay, unit: "hour" }),
    ]);
    const candidates = chooseCandidates(earlier, recent, maxCandidates);
    const ids = candidates.map(({ checkId }) => checkId);
    if (ids.length === 0) return { trends: [], asOfMs: toMs };
    const [before, now] = await Promise.all([
      summariseChecks(this.#context, ids, weekBefore),
      summariseChecks(this.#context, ids, lastDay),
    ]);
    const trends = candidates.flatMap((check, place) => {
      const then = before[place];
      const last = now[place];
      return then === undefined || last === undefined ? [] : findTrends(check, then, last);
    });
    return { trends, asOfMs: toMs };
  }
}
