/** A time range that includes `fromMs` and excludes `toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
/** Period (block) after which daily running totals restart. Blocks are counted from the epoch. */
export const blockMs = 32 * dayMs;
/** Retention of hourly and daily roll-ups in days. */
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

export function startOf(timeMs: number, unitMs: number): number {
  return Math.floor(timeMs / unitMs) * unitMs;
}

/** Returns the start of the hourly roll-ups. Earlier days have only daily roll-ups. */
export function hourlyKeptFrom(nowMs: number): number {
  return startOf(nowMs, dayMs) - keptDays.hourly * dayMs;
}

/** Returns the time range of a quick range. Days, weeks (from Monday) and months are in UTC. */
export function resolveQuickRange(range: QuickRange, nowMs: number): Span {
  // Shifts by four days, because 1 January 1970 was a Thursday and weeks start on Monday.
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
 * Aligns the start of a window to the hour, because only whole hours are rolled up. For times
 * without hourly roll-ups, the start and the end are aligned to days.
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

/** A window, divided by the source of the data: daily roll-ups, hourly roll-ups or results. */
export interface Pieces {
  readonly days: readonly Span[];
  readonly hours: readonly Span[];
  readonly raw: readonly Span[];
}

/** Divides a window into rolled-up days if possible, else rolled-up hours, else single results. */
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

/** Selects a running total: the last one in this time range. */
export interface Mark extends Span {
  /** Whether the total is subtracted, because it covers the time before the requested span. */
  readonly isTakenOut: boolean;
}

/** Returns the totals to add and subtract for the spans. Totals restart every `lengthMs`. */
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
  /** Start of the first bucket. */
  readonly anchorMs: number;
  readonly intervalMs: number;
  /** Indexes of the first and last bucket that the window touches. */
  readonly first: number;
  readonly last: number;
}

/**
 * Divides a window into buckets. The first bucket starts at the start of the UTC day, so that
 * intervals that divide a day are aligned to the clock.
 */
export function planBuckets(window: Span, intervalMinutes: number): Buckets {
  const intervalMs = intervalMinutes * 60_000;
  const anchorMs = startOf(window.fromMs, dayMs);
  const bucketOf = (timeMs: number) => Math.floor((timeMs - anchorMs) / intervalMs);
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

/** Returns the default interval: one hour for windows of up to 25 hours, otherwise one day. */
export function chooseIntervalMinutes({ fromMs, toMs }: Span): number {
  return toMs - fromMs <= 25 * hourMs ? 60 : 1_440;
}

/** Returns the coarsest source whose boundaries include all bucket boundaries. */
export function unitOfInterval(intervalMinutes: number): "result" | "hour" | "day" {
  if (intervalMinutes % 1_440 === 0) return "day";
  return intervalMinutes % 60 === 0 ? "hour" : "result";
}
