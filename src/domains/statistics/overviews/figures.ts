import { type CheckSummary, summarise } from "../analytics/actions.ts";
import { findRolledTimes, sumTotals } from "../analytics/analytics-store.ts";
import type { StatisticsContext } from "../context.ts";
import {
  addRawRow,
  addTotal,
  clearTotal,
  createTotal,
  createTotalAdder,
  type Total,
  trimTotal,
} from "../rollups/rollup.ts";
import { aggregate } from "../sketch-statistics.ts";
import {
  alignWindow,
  blockMs,
  dayMs,
  hourMs,
  type Pieces,
  planMarks,
  planPieces,
  type Span,
  startOf,
} from "../window.ts";
import { type DayHoursRow, listDayHours, sumResultsByHour } from "./overview-store.ts";

/** One point of a sparkline. */
export interface HourPoint {
  readonly startsMs: number;
  /** Of the packets that were answered; null when there were none. */
  readonly avgMs: number | null;
  /** Runs that reached a verdict. */
  readonly runs: number;
  readonly degraded: number;
  readonly failing: number;
}

export interface CheckFigures {
  readonly day: CheckSummary;
  readonly week: CheckSummary;
  /** Each hour of the last 24, the oldest first, whether anything ran in it or not. */
  readonly hours: readonly HourPoint[];
}

export type FiguresContext = Pick<StatisticsContext, "db" | "clock">;

/** Single results are most of the work, which is shared among connections. */
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

function toMarks({ days, hours }: Pieces) {
  return { daily_rollups: planMarks(days, blockMs), hourly_rollups: planMarks(hours, dayMs) };
}

const isWithin = (moment: number, spans: readonly Span[]) =>
  spans.some(({ fromMs, toMs }) => moment >= fromMs && moment < toMs);

interface Sums {
  day: Total;
  week: Total;
  readonly hours: Map<number, HourPoint>;
}

const nothing = trimTotal(createTotal());
const createSums = (): Sums => ({ day: nothing, week: nothing, hours: new Map() });

function pointOf(startsMs: number, total: Total): HourPoint {
  const { passing, degraded, failing, sketches } = total;
  const avgMs = aggregate(sketches.rtt, "avg");
  return { startsMs, avgMs, runs: passing + degraded + failing, degraded, failing };
}

/** Bytes of one hour: five whole numbers and the sum of its round trips, as SQL wrote them. */
const hourBytes = 28;

function readHours({ dayMs: fromMs, hours }: DayHoursRow, visit: (point: HourPoint) => void): void {
  if (hours === null) return;
  const view = new DataView(hours.buffer, hours.byteOffset, hours.byteLength);
  for (let at = 0; at + hourBytes <= hours.length; at += hourBytes) {
    const answered = view.getInt32(at + 16);
    visit({
      startsMs: fromMs + view.getInt32(at) * hourMs,
      avgMs: answered > 0 ? view.getFloat64(at + 20) / answered : null,
      runs: view.getInt32(at + 4),
      degraded: view.getInt32(at + 8),
      failing: view.getInt32(at + 12),
    });
  }
}

function readClosedHours(rows: readonly DayHoursRow[], sumsOf: (place: number) => Sums): void {
  for (const row of rows) {
    const { hours } = sumsOf(row.place);
    readHours(row, (point) => hours.set(point.startsMs, point));
  }
}

/** The spans that the windows have as single results, each moment once. */
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

/** What closed hours and days amount to, for each check in its place. */
async function sumClosed(
  db: FiguresContext["db"],
  checkIds: readonly string[],
  { day, dayPieces, weekPieces }: Windows,
): Promise<readonly Sums[]> {
  const sums = checkIds.map(createSums);
  const nowhere = createSums();
  const sumsOf = (place: number) => sums[place - 1] ?? nowhere;
  const addRow = createTotalAdder();
  const total = createTotal();
  const addRolled = async (which: "day" | "week", pieces: Pieces) => {
    const rows = await sumTotals(db, checkIds, toMarks(pieces));
    for (const row of rows) {
      clearTotal(total);
      addRow(total, row);
      sumsOf(row.place)[which] = trimTotal(total);
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

interface OpenHour {
  readonly startsMs: number;
  readonly total: Total;
}

/** The hours that are not rolled up yet, or the parts of them that lie in some spans, by check. */
async function sumOpen(
  db: FiguresContext["db"],
  checkIds: readonly string[],
  spans: readonly Span[],
): Promise<ReadonlyMap<string, readonly OpenHour[]>> {
  const found = new Map<string, OpenHour[]>(checkIds.map((id) => [id, []]));
  const total = createTotal();
  const addRaw = async (span: Span, some: readonly string[]) => {
    for (const row of await sumResultsByHour(db, some, span)) {
      clearTotal(total);
      addRawRow(total, row);
      const hour = { startsMs: row.startsMs, total: trimTotal(total) };
      found.get(some[row.place - 1] ?? "")?.push(hour);
    }
  };
  const chunks = Array.from({ length: Math.ceil(checkIds.length / rawChunk) }, (_, n) =>
    checkIds.slice(n * rawChunk, (n + 1) * rawChunk),
  );
  // Each answer is added up as it comes, while the database works on the next.
  await Promise.all(spans.flatMap((span) => chunks.map((chunk) => addRaw(span, chunk))));
  return found;
}

/** An hour may come in two parts: what is settled, and what has come since. */
function drawPoints(open: readonly OpenHour[]): ReadonlyMap<number, HourPoint> {
  const points = new Map<number, HourPoint>();
  for (const { startsMs } of open) {
    const parts = open.filter((hour) => hour.startsMs === startsMs).map(({ total }) => total);
    const [only] = parts;
    const total = parts.length === 1 && only !== undefined ? only : createTotal();
    if (parts.length > 1) for (const part of parts) addTotal(total, part);
    points.set(startsMs, pointOf(startsMs, total));
  }
  return points;
}

/** Adds up closed and open, in the same memory again and again: there are checks by the hundred. */
function createSummariser({ day: span, dayPieces, weekPieces }: Windows) {
  const total = createTotal();
  const addUp = (id: string, closed: Total, open: readonly OpenHour[]) => {
    clearTotal(total);
    addTotal(total, closed);
    for (const hour of open) addTotal(total, hour.total);
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

/** Of an hour that has both, the single results are what counts. */
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

/** A few kilobytes each. */
const maxKept = 2_000;
/** A result that comes late changes an hour that was closed; by then it shows. */
const maxClosedAgeMs = 600_000;

/** Results older than this have come, but for the late; they are added up once every so often. */
const settledAfterMs = 600_000;
const settleEveryMs = 300_000;

interface Settled {
  /** Which times it is made of. */
  readonly pieces: string;
  readonly hours: readonly OpenHour[];
}

/** What of some spans lies within another. */
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
  /** Which hours and days it is made of. */
  readonly pieces: string;
  readonly atMs: number;
}

function forgetOldest(kept: Map<string, unknown>): void {
  for (const id of kept.keys()) {
    if (kept.size <= maxKept) break;
    kept.delete(id);
  }
}

/**
 * Figures of the last day and week. What closed hours amount to is the same until the next one is
 * closed, so it is kept, and a further look reads only the end of the hour that is still open.
 */
export class FigureReader {
  readonly #context: FiguresContext;
  readonly #closed = new Map<string, Closed>();
  readonly #settled = new Map<string, Settled>();

  constructor(context: FiguresContext) {
    this.#context = context;
  }

  /** By id. Whose checks they are is for the caller to have asked. */
  async read(checkIds: readonly string[]): Promise<Map<string, CheckFigures>> {
    if (checkIds.length === 0) return new Map();
    const windows = await planWindows(this.#context);
    const [closed, open] = await Promise.all([
      this.#readClosed(checkIds, windows),
      this.#readOpen(checkIds, joinRaw(windows)),
    ]);
    const summariseOne = createSummariser(windows);
    return new Map(
      checkIds.map((id) => [
        id,
        summariseOne(id, closed.get(id) ?? createSums(), open.get(id) ?? []),
      ]),
    );
  }

  /** Most of an open hour is settled: only its last minutes are read at every look. */
  async #readOpen(
    checkIds: readonly string[],
    spans: readonly Span[],
  ): Promise<ReadonlyMap<string, readonly OpenHour[]>> {
    const { db, clock } = this.#context;
    const settledMs = startOf(clock.now().getTime() - settledAfterMs, settleEveryMs);
    const old = clip(spans, { fromMs: 0, toMs: settledMs });
    const recent = clip(spans, { fromMs: settledMs, toMs: Number.POSITIVE_INFINITY });
    const pieces = JSON.stringify(old);
    // Taken before anything is waited for: meanwhile another look may settle more, or forget.
    const known = new Map<string, readonly OpenHour[]>();
    for (const id of checkIds) {
      const one = this.#settled.get(id);
      if (one?.pieces === pieces) known.set(id, one.hours);
    }
    const missing = checkIds.filter((id) => !known.has(id));
    const [settled, since] = await Promise.all([
      sumOpen(db, missing, old),
      sumOpen(db, checkIds, recent),
    ]);
    const found = new Map<string, readonly OpenHour[]>();
    for (const id of checkIds) {
      const hours = known.get(id) ?? settled.get(id) ?? [];
      found.set(id, [...hours, ...(since.get(id) ?? [])]);
      this.#settled.delete(id);
      this.#settled.set(id, { pieces, hours });
    }
    forgetOldest(this.#settled);
    return found;
  }

  async #readClosed(
    checkIds: readonly string[],
    windows: Windows,
  ): Promise<ReadonlyMap<string, Sums>> {
    const { db, clock } = this.#context;
    const atMs = clock.now().getTime();
    const { days, hours } = windows.dayPieces;
    const { days: weekDays, hours: weekHours } = windows.weekPieces;
    const pieces = JSON.stringify([days, hours, weekDays, weekHours]);
    const found = new Map<string, Sums>();
    for (const id of checkIds) {
      const known = this.#closed.get(id);
      const isFresh = known?.pieces === pieces && atMs - known.atMs < maxClosedAgeMs;
      if (known !== undefined && isFresh) found.set(id, known.sums);
    }
    const missing = checkIds.filter((id) => !found.has(id));
    if (missing.length === 0) return found;
    const read = await sumClosed(db, missing, windows);
    for (const [index, id] of missing.entries()) {
      const sums = read[index] ?? createSums();
      found.set(id, sums);
      this.#closed.delete(id);
      this.#closed.set(id, { sums, pieces, atMs });
    }
    forgetOldest(this.#closed);
    return found;
  }
}
