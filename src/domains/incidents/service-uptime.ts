import { formatDate } from "../../platform/dates.ts";
import { computeAvailability } from "../runs/index.ts";
import type { OpenSpan, Severity } from "./incident.ts";

/** From a moment up to another, which is no longer in it. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What an incident says about the services it names. */
export interface Outage {
  readonly incidentId: string;
  readonly severity: Severity;
  readonly openSpans: readonly OpenSpan[];
}

/** What is known of one service. */
export interface ServiceHistory {
  /** Nothing is known before: the service was not there, and no incident had named it. */
  readonly knownFromMs: number;
  readonly outages: readonly Outage[];
}

/** Time of a service, by what the public was told of it. */
export interface ServiceTime {
  readonly failingMs: number;
  readonly degradedMs: number;
  readonly knownMs: number;
}

/** One UTC day of a service; today's ends now. */
export interface ServiceDay extends ServiceTime {
  readonly date: string;
  readonly incidentIds: readonly string[];
}

export const dayMs = 86_400_000;

/** Degraded is up, as it is for checks. */
export function isFailing(severity: Severity): boolean {
  return severity === "CRITICAL" || severity === "MAJOR";
}

/** What of some spans lies within a window; what goes on has no end before the window's. */
function clipSpans(spans: readonly OpenSpan[], window: Span): Span[] {
  return spans
    .map(({ fromMs, toMs }) => ({
      fromMs: Math.max(fromMs, window.fromMs),
      toMs: Math.min(toMs ?? window.toMs, window.toMs),
    }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
}

/** In order of time, none touching another. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.fromMs - other.fromMs)) {
    const last = merged.at(-1);
    if (last === undefined || span.fromMs > last.toMs) merged.push(span);
    else if (span.toMs > last.toMs) merged[merged.length - 1] = { ...last, toMs: span.toMs };
  }
  return merged;
}

function measureWithin(merged: readonly Span[], window: Span): number {
  let totalMs = 0;
  for (const { fromMs, toMs } of merged) {
    totalMs += Math.max(0, Math.min(toMs, window.toMs) - Math.max(fromMs, window.fromMs));
  }
  return totalMs;
}

/** Each moment once, however many incidents were open in it; failing wins. */
class Timeline {
  readonly #knownFromMs: number;
  readonly #failing: readonly Span[];
  readonly #troubled: readonly Span[];

  constructor({ knownFromMs, outages }: ServiceHistory, window: Span) {
    const spansOf = (some: readonly Outage[]) =>
      mergeSpans(some.flatMap(({ openSpans }) => clipSpans(openSpans, window)));
    this.#knownFromMs = knownFromMs;
    this.#failing = spansOf(outages.filter(({ severity }) => isFailing(severity)));
    this.#troubled = spansOf(outages);
  }

  measure(window: Span): ServiceTime {
    const known = { ...window, fromMs: Math.max(window.fromMs, this.#knownFromMs) };
    const failingMs = measureWithin(this.#failing, known);
    return {
      failingMs,
      degradedMs: measureWithin(this.#troubled, known) - failingMs,
      knownMs: Math.max(0, known.toMs - known.fromMs),
    };
  }
}

/** What is known of a service within a window. */
export function measureService(history: ServiceHistory, window: Span): ServiceTime {
  return new Timeline(history, window).measure(window);
}

/** The last so many UTC days, the oldest first; the last of them is today, up to now. */
export function listServiceDays(
  history: ServiceHistory,
  period: { readonly days: number; readonly nowMs: number },
): ServiceDay[] {
  const today = Math.floor(period.nowMs / dayMs);
  const first = today - period.days + 1;
  const timeline = new Timeline(history, { fromMs: first * dayMs, toMs: period.nowMs });
  return Array.from({ length: period.days }, (_, index) => {
    const fromMs = (first + index) * dayMs;
    const day = { fromMs, toMs: Math.min(fromMs + dayMs, period.nowMs) };
    return {
      date: formatDate(new Date(fromMs)),
      ...timeline.measure(day),
      incidentIds: history.outages
        .filter(({ openSpans }) => clipSpans(openSpans, day).length > 0)
        .map(({ incidentId }) => incidentId),
    };
  });
}

export function addServiceTimes(times: readonly ServiceTime[]): ServiceTime {
  return times.reduce(
    (sum, time) => ({
      failingMs: sum.failingMs + time.failingMs,
      degradedMs: sum.degradedMs + time.degradedMs,
      knownMs: sum.knownMs + time.knownMs,
    }),
    { failingMs: 0, degradedMs: 0, knownMs: 0 },
  );
}

/** By the one formula, with milliseconds in place of runs; null when nothing is known. */
export function computeServiceAvailability(time: ServiceTime): number | null {
  const { failingMs: failing, degradedMs: degraded, knownMs } = time;
  return computeAvailability({ passing: knownMs - degraded - failing, degraded, failing });
}
