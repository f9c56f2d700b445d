/** From a moment up to another, which is no longer in it. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
/** Days are added up within blocks of so many, counted from 1970. */
export const blockMs = 32 * dayMs;
/** How long roll-ups are kept. */
export const keptDays = { hourly: 100, daily: 800 } as const;

export const quickRanges = [
  "last24Hours",
  "last7Days",
  "last30Days",
  "thisWeek",
  "thisMonth",
  "lastWeek",
  "lastMonth",
] as const;
export type QuickRange = (typeof quickRanges)[number];

export function startOf(moment: number, unitMs: number): number {
  return Math.floor(moment / unitMs) * unitMs;
}

/** Hours before this are known by their day only. */
export function hourlyKeptFrom(nowMs: number): number {
  return startOf(nowMs, dayMs) - keptDays.hourly * dayMs;
}

/** Weeks begin on Monday; days, weeks and months are those of UTC. */
export function resolveQuickRange(range: QuickRange, nowMs: number): Span {
  // The first day of 1970 was a Thursday.
  const week = startOf(nowMs - 4 * dayMs, 7 * dayMs) + 4 * dayMs;
  switch (range) {
    case "last24Hours":
      return { fromMs: nowMs - dayMs, toMs: nowMs };
    case "last7Days":
      return { fromMs: nowMs - 7 * dayMs, toMs: nowMs };
    case "last30Days":
      return { fromMs: nowMs - 30 * dayMs, toMs: nowMs };
    case "thisWeek":
      return { fromMs: week, toMs: nowMs };
    case "lastWeek":
      return { fromMs: week - 7 * dayMs, toMs: week };
    case "thisMonth":
      return { fromMs: startOfMonth(nowMs, 0), toMs: nowMs };
    case "lastMonth":
      return { fromMs: startOfMonth(nowMs, -1), toMs: startOfMonth(nowMs, 0) };
  }
}

function startOfMonth(nowMs: number, monthsLater: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsLater);
}

/**
 * A window begins with the hour its beginning lies in, as closed hours are rolled up whole. Where
 * hours are no longer kept it begins and ends with whole days. Its end is otherwise as asked for.
 */
export function alignWindow({ fromMs, toMs }: Span, nowMs: number): Span {
  const hourlyFrom = hourlyKeptFrom(nowMs) + dayMs;
  return {
    fromMs: startOf(fromMs, fromMs < hourlyFrom ? dayMs : hourMs),
    toMs: toMs < hourlyFrom ? -startOf(-toMs, dayMs) : toMs,
  };
}

export interface RolledTimes {
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
}

/** Where the answer to a window comes from. Together they are the window, each moment once. */
export interface Pieces {
  readonly days: readonly Span[];
  readonly hours: readonly Span[];
  readonly raw: readonly Span[];
}

/** The largest pieces first: a day that is rolled up, an hour that is, and single results. */
export function planPieces(window: Span, rolled: RolledTimes): Pieces {
  const days: Span[] = [];
  const hours: Span[] = [];
  const raw: Span[] = [];
  let at = window.fromMs;
  while (at < window.toMs) {
    const isDay = at + dayMs <= window.toMs && rolled.days.has(at);
    const isHour = at + hourMs <= window.toMs && rolled.hours.has(at);
    const end = Math.min(isDay ? at + dayMs : startOf(at, hourMs) + hourMs, window.toMs);
    append(isDay ? days : isHour ? hours : raw, { fromMs: at, toMs: end });
    at = end;
  }
  return { days, hours, raw };
}

function append(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last === undefined || last.toMs !== span.fromMs) spans.push(span);
  else spans[spans.length - 1] = { fromMs: last.fromMs, toMs: span.toMs };
}

/** Where a running total is read: the last one that began within this span. */
export interface Mark extends Span {
  /** What was added up before a stretch begins is to be taken out of what was until its end. */
  readonly isTakenOut: boolean;
}

/** The totals that make up some spans, where totals begin anew at each multiple of a length. */
export function planMarks(spans: readonly Span[], lengthMs: number): Mark[] {
  const marks: Mark[] = [];
  for (const span of spans) {
    for (let at = span.fromMs; at < span.toMs; ) {
      const fromMs = startOf(at, lengthMs);
      const end = Math.min(fromMs + lengthMs, span.toMs);
      marks.push({ fromMs, toMs: end, isTakenOut: false });
      if (at > fromMs) marks.push({ fromMs, toMs: at, isTakenOut: true });
      at = end;
    }
  }
  return marks;
}

export interface Buckets {
  /** Buckets are counted from here. */
  readonly anchorMs: number;
  readonly intervalMs: number;
  /** The first and the last that the window touches. */
  readonly first: number;
  readonly last: number;
}

/**
 * Counted from the beginning of the UTC day in which the window begins, so that intervals that
 * divide a day lie on the clock wherever the window begins.
 */
export function planBuckets(window: Span, intervalMinutes: number): Buckets {
  const intervalMs = intervalMinutes * 60_000;
  const anchorMs = startOf(window.fromMs, dayMs);
  const bucketOf = (moment: number) => Math.floor((moment - anchorMs) / intervalMs);
  return {
    anchorMs,
    intervalMs,
    first: bucketOf(window.fromMs),
    last: bucketOf(window.toMs - 1),
  };
}

export function countBuckets({ first, last }: Buckets): number {
  return last - first + 1;
}

/** An hour a point for a day, and a day a point for more. */
export function chooseIntervalMinutes({ fromMs, toMs }: Span): number {
  return toMs - fromMs <= 25 * hourMs ? 60 : 1_440;
}

/** The coarsest unit whose edges are all edges of buckets. */
export function unitOfInterval(intervalMinutes: number): "result" | "hour" | "day" {
  if (intervalMinutes % 1_440 === 0) return "day";
  return intervalMinutes % 60 === 0 ? "hour" : "result";
}
