import { BoundedMap } from "../../../platform/bounded-map.ts";
import { type OfCheck, type RunSums, sumRunsByHour } from "../../results/index.ts";
import {
  type CheckSummary,
  type CheckToSum,
  findFigureKinds,
  summarise,
  toMarks,
} from "../analytics/actions.ts";
import { findRolledTimes, sumTimeTotals } from "../analytics/analytics-store.ts";
import type { StatisticsContext } from "../context.ts";
import {
  addRollup,
  addRunSums,
  addTotal,
  clearRollup,
  createTotal,
  type FigureKind,
  type HourPoint,
  noFigures,
  type Rollup,
  readHourRecords,
  trimRollup,
} from "../rollups/rollup.ts";
import { aggregate } from "../sketch-statistics.ts";
import {
  alignWindow,
  dayMs,
  hourMs,
  type Pieces,
  planPieces,
  type Span,
  startOf,
} from "../window.ts";
import { type DayHoursRow, listDayHours } from "./overview-store.ts";

export interface CheckFigures {
  readonly day: CheckSummary;
  readonly week: CheckSummary;
  /** Points of the last 24 hours, oldest first, including hours without runs. */
  readonly hours: readonly HourPoint[];
}

export type FiguresContext = Pick<StatisticsContext, "db" | "clock">;

const timeKinds = new Map<FigureKind, FigureKind>();

/** Removes the kind's counters and parts: lists show only verdicts and response times. */
export function withTimesOnly({ checkId, kind }: CheckToSum): CheckToSum {
  const known = timeKinds.get(kind) ?? { ...kind, counters: [], parts: [] };
  timeKinds.set(kind, known);
  return { checkId, kind: known };
}

/** Checks per query for single results. Several connections share the queries, which are slow. */
const rawChunk = 125;

interface Windows {
  readonly day: Span;
  readonly week: Span;
  readonly dayPieces: Pieces;
  readonly weekPieces: Pieces;
}

export async function planWindows({ db, clock }: FiguresContext): Promise<Windows> {
  const nowMs = clock.now().getTime();
  const day = alignWindow({ fromMs: nowMs - dayMs, toMs: nowMs }, nowMs);
  const week = alignWindow({ fromMs: nowMs - 7 * dayMs, toMs: nowMs }, nowMs);
  const [ofDay, ofWeek] = await Promise.all([
    findRolledTimes(db, day, "day"),
    findRolledTimes(db, week, "day"),
  ]);
  return { day, week, dayPieces: planPieces(day, ofDay), weekPieces: planPieces(week, ofWeek) };
}

const isWithin = (timeMs: number, spans: readonly Span[]) =>
  spans.some(({ fromMs, toMs }) => timeMs >= fromMs && timeMs < toMs);

interface Sums {
  day: Rollup;
  week: Rollup;
  readonly hours: Map<number, HourPoint>;
}

const createSums = (kind: FigureKind): Sums => {
  const nothing = trimRollup(createTotal(kind));
  return { day: nothing, week: nothing, hours: new Map() };
};

export function pointOf(startsMs: number, total: Rollup): HourPoint {
  const { passing, degraded, failing, samples } = total;
  const avgMs = aggregate(samples, "avg");
  return { startsMs, avgMs, runs: passing + degraded + failing, degraded, failing };
}

function readClosedHours(rows: readonly DayHoursRow[], sumsOf: (place: number) => Sums): void {
  for (const row of rows) {
    const { hours } = sumsOf(row.place);
    if (row.hours === null) continue;
    readHourRecords(row.hours, row.dayMs, (point) => hours.set(point.startsMs, point));
  }
}

/**
 * Returns the spans for which the figures of the day or of the week must be computed from single
 * results. Overlapping and adjacent spans are merged.
 */
function joinRaw({ dayPieces, weekPieces }: Windows): readonly Span[] {
  const spans = [...weekPieces.raw, ...dayPieces.raw].sort((a, b) => a.fromMs - b.fromMs);
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || span.fromMs > last.toMs) joined.push(span);
    else if (span.toMs > last.toMs) joined.splice(-1, 1, { ...last, toMs: span.toMs });
  }
  return joined;
}

/** Returns sums over the closed hours and days. The array has the order of the checks. */
async function sumClosed(
  db: FiguresContext["db"],
  checks: readonly CheckToSum[],
  { day, dayPieces, weekPieces }: Windows,
): Promise<readonly Sums[]> {
  const checkIds = checks.map(({ checkId }) => checkId);
  const sums = checks.map(({ kind }) => createSums(kind));
  const nowhere = createSums(noFigures);
  const sumsOf = (place: number) => sums[place - 1] ?? nowhere;
  const clearFor = createScratch();
  const addRolled = async (which: "day" | "week", pieces: Pieces) => {
    const rows = await sumTimeTotals(db, checkIds, toMarks(pieces));
    for (const row of rows) {
      const total = clearFor(checks[row.place - 1]?.kind ?? noFigures);
      addTotal(total, row);
      sumsOf(row.place)[which] = trimRollup(total);
    }
  };
  const hasClosed = dayPieces.hours.length + dayPieces.days.length > 0;
  await Promise.all([
    addRolled("day", dayPieces),
    addRolled("week", weekPieces),
    hasClosed && listDayHours(db, checkIds, day).then((rows) => readClosedHours(rows, sumsOf)),
  ]);
  return sums;
}

/** Returns a function that provides an empty roll-up of a kind, reusing one memory per kind. */
export function createScratch(): (kind: FigureKind) => Rollup {
  const known = new Map<FigureKind, Rollup>();
  return (kind) => {
    const total = known.get(kind) ?? createTotal(kind);
    known.set(kind, total);
    clearRollup(total);
    return total;
  };
}

interface OpenHour {
  readonly startsMs: number;
  readonly total: Rollup;
}

/** Sums the single results within the spans by check and hour. */
async function sumOpen(
  db: FiguresContext["db"],
  checks: readonly CheckToSum[],
  spans: readonly Span[],
): Promise<ReadonlyMap<string, readonly OpenHour[]>> {
  const found = new Map<string, OpenHour[]>(checks.map(({ checkId }) => [checkId, []]));
  const clearFor = createScratch();
  const addRow = (row: OfCheck<RunSums & { startsMs: number }>, check: CheckToSum) => {
    const total = clearFor(check.kind);
    addRunSums(total, row);
    found.get(check.checkId)?.push({ startsMs: row.startsMs, total: trimRollup(total) });
  };
  const addRaw = async (span: Span, some: readonly CheckToSum[]) => {
    for (const row of await sumRunsByHour(db, some, span, { hasFigures: false })) {
      const check = some[row.place - 1];
      if (check !== undefined) addRow(row, check);
    }
  };
  const chunks = Array.from({ length: Math.ceil(checks.length / rawChunk) }, (_, n) =>
    checks.slice(n * rawChunk, (n + 1) * rawChunk),
  );
  // Each query's result is processed when complete, while the database executes the next query.
  await Promise.all(spans.flatMap((span) => chunks.map((chunk) => addRaw(span, chunk))));
  return found;
}

/**
 * Returns one point per hour. An hour may have two entries: the cached sums of older results and
 * the sums of recent results. The point of the hour contains the total of the two entries.
 */
function drawPoints(open: readonly OpenHour[]): ReadonlyMap<number, HourPoint> {
  const points = new Map<number, HourPoint>();
  for (const { startsMs } of open) {
    const parts = open.filter((hour) => hour.startsMs === startsMs).map(({ total }) => total);
    const [first, ...others] = parts;
    if (first === undefined) continue;
    const total = others.length === 0 ? first : createTotal(first.kind);
    if (others.length > 0) for (const part of parts) addRollup(total, part);
    points.set(startsMs, pointOf(startsMs, total));
  }
  return points;
}

/**
 * Creates a function that adds the closed and open hours of a check. The function reuses its
 * memory, because there may be hundreds of checks.
 */
function createSummariser({ day: span, dayPieces, weekPieces }: Windows) {
  const clearFor = createScratch();
  const addUp = (id: string, closed: Rollup, open: readonly OpenHour[]) => {
    const total = clearFor(closed.kind);
    addRollup(total, closed);
    for (const hour of open) addRollup(total, hour.total);
    return summarise(id, total);
  };
  return (id: string, closed: Sums, open: readonly OpenHour[]): CheckFigures => {
    const ofDay = open.filter(({ startsMs }) => isWithin(startsMs, dayPieces.raw));
    const ofWeek = open.filter(({ startsMs }) => isWithin(startsMs, weekPieces.raw));
    const points = drawPoints(ofDay);
    return {
      day: addUp(id, closed.day, ofDay),
      week: addUp(id, closed.week, ofWeek),
      hours: listHours(span, (at) => points.get(at) ?? closed.hours.get(at)),
    };
  };
}

/** Returns a point for every hour of the span. `find` returns the existing points. */
function listHours(
  { fromMs, toMs }: Span,
  find: (startsMs: number) => HourPoint | undefined,
): HourPoint[] {
  const hours: HourPoint[] = [];
  for (let at = fromMs; at < toMs; at += hourMs) {
    hours.push(find(at) ?? { startsMs: at, avgMs: null, runs: 0, degraded: 0, failing: 0 });
  }
  return hours;
}

/** Maximum number of checks in each cache, which needs a few kilobytes per check. */
const maxKept = 2_000;
/** Maximum age of cached sums. Late results of closed hours appear after at most this time. */
const maxClosedAgeMs = 600_000;

/**
 * Age after which results count as settled, because nearly all results have arrived by then. The
 * sums of settled results are cached and renewed every `settleEveryMs`.
 */
const settledAfterMs = 600_000;
const settleEveryMs = 300_000;

interface Settled {
  /** Time ranges of the sums as JSON. The cache entry is valid only for identical ranges. */
  readonly pieces: string;
  readonly hours: readonly OpenHour[];
}

/** Returns the parts of the spans that lie within the range. */
function clip(spans: readonly Span[], within: Span): Span[] {
  return spans
    .map(({ fromMs, toMs }) => ({
      fromMs: Math.max(fromMs, within.fromMs),
      toMs: Math.min(toMs, within.toMs),
    }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
}

interface Closed {
  readonly sums: Sums;
  /** Hours and days of the sums. The cache entry is valid only for identical hours and days. */
  readonly pieces: string;
  readonly atMs: number;
}

/**
 * Reads the figures of the last day and week. The sums over closed hours stay valid until the next
 * hour is closed, so they are cached, and most calls read only the end of the open hour.
 */
export class FigureReader {
  readonly #context: FiguresContext;
  readonly #closed = new BoundedMap<string, Closed>(maxKept);
  readonly #settled = new BoundedMap<string, Settled>(maxKept);

  constructor(context: FiguresContext) {
    this.#context = context;
  }

  /** Returns figures by check id. The caller must have authorised access to the checks. */
  async read(checkIds: readonly string[]): Promise<Map<string, CheckFigures>> {
    if (checkIds.length === 0) return new Map();
    const [windows, found] = await Promise.all([
      planWindows(this.#context),
      findFigureKinds(this.#context.db, checkIds),
    ]);
    const checks = found.map(withTimesOnly);
    const [closed, open] = await Promise.all([
      this.#readClosed(checks, windows),
      this.#readOpen(checks, joinRaw(windows)),
    ]);
    const summariseOne = createSummariser(windows);
    return new Map(
      checks.map(({ checkId, kind }) => {
        const sums = closed.get(checkId) ?? createSums(kind);
        return [checkId, summariseOne(checkId, sums, open.get(checkId) ?? [])];
      }),
    );
  }

  /** Returns the sums over open hours. Caches settled results and queries only newer ones. */
  async #readOpen(
    checks: readonly CheckToSum[],
    spans: readonly Span[],
  ): Promise<ReadonlyMap<string, readonly OpenHour[]>> {
    const { db, clock } = this.#context;
    const settledMs = startOf(clock.now().getTime() - settledAfterMs, settleEveryMs);
    const old = clip(spans, { fromMs: 0, toMs: settledMs });
    const recent = clip(spans, { fromMs: settledMs, toMs: Number.POSITIVE_INFINITY });
    const pieces = JSON.stringify(old);
    // The cache is read before the first `await`, because concurrent calls may change the cache.
    const known = new Map<string, readonly OpenHour[]>();
    for (const { checkId: id } of checks) {
      const one = this.#settled.get(id);
      if (one?.pieces === pieces) known.set(id, one.hours);
    }
    const missing = checks.filter(({ checkId }) => !known.has(checkId));
    const [settled, since] = await Promise.all([
      sumOpen(db, missing, old),
      sumOpen(db, checks, recent),
    ]);
    const found = new Map<string, readonly OpenHour[]>();
    for (const { checkId: id } of checks) {
      const hours = known.get(id) ?? settled.get(id) ?? [];
      found.set(id, [...hours, ...(since.get(id) ?? [])]);
      this.#settled.set(id, { pieces, hours });
    }
    return found;
  }

  async #readClosed(
    checks: readonly CheckToSum[],
    windows: Windows,
  ): Promise<ReadonlyMap<string, Sums>> {
    const { db, clock } = this.#context;
    const atMs = clock.now().getTime();
    const { days, hours } = windows.dayPieces;
    const { days: weekDays, hours: weekHours } = windows.weekPieces;
    const pieces = JSON.stringify([days, hours, weekDays, weekHours]);
    const found = new Map<string, Sums>();
    for (const { checkId: id } of checks) {
      const known = this.#closed.get(id);
      const isFresh = known?.pieces === pieces && atMs - known.atMs < maxClosedAgeMs;
      if (known !== undefined && isFresh) found.set(id, known.sums);
    }
    const missing = checks.filter(({ checkId }) => !found.has(checkId));
    if (missing.length === 0) return found;
    const read = await sumClosed(db, missing, windows);
    for (const [index, { checkId: id, kind }] of missing.entries()) {
      const sums = read[index] ?? createSums(kind);
      found.set(id, sums);
      this.#closed.set(id, { sums, pieces, atMs });
    }
    return found;
  }
}
