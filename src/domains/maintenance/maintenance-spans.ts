import {
  isTakingPlace,
  type MaintenanceWindow,
  type OccurrenceChange,
} from "./maintenance-window.ts";
import { findRuleIndex, findRuleOccurrence, type Occurrence } from "./recurrence.ts";

export interface Span {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/**
 * Returns the periods in which any of the windows is open, ordered and disjoint. Computing an
 * occurrence costs a hundred times as much as a comparison, so callers that check many times
 * compute these once.
 */
export function listMaintenanceSpans(
  windows: readonly MaintenanceWindow[],
  fromMs: number,
  toMs: number,
): readonly Span[] {
  const span = { fromMs, toMs, limit: Number.POSITIVE_INFINITY };
  const occurrences = windows.flatMap((window) => listOccurrences(window, span));
  const merged: Span[] = [];
  for (const span of occurrences.toSorted((one, other) => one.startsAtMs - other.startsAtMs)) {
    const last = merged.at(-1);
    if (last === undefined || span.startsAtMs > last.endsAtMs) merged.push(span);
    else if (span.endsAtMs > last.endsAtMs) {
      merged[merged.length - 1] = { startsAtMs: last.startsAtMs, endsAtMs: span.endsAtMs };
    }
  }
  return merged;
}

/**
 * Lists the occurrence open at the start of the span and all that start before its end, in order.
 */
export function listOccurrences(window: MaintenanceWindow, span: BoundedSpan): Occurrence[] {
  return listWith(window, span, isTakingPlace);
}

/** Lists occurrences including cancelled ones, but not deleted ones. */
export function listShownOccurrences(window: MaintenanceWindow, span: BoundedSpan): Occurrence[] {
  return listWith(window, span, ({ status }) => status !== "DELETED");
}

export interface BoundedSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

function listWith(
  window: MaintenanceWindow,
  { fromMs, toMs, limit }: BoundedSpan,
  isListed: (change: OccurrenceChange) => boolean,
): Occurrence[] {
  const { changes = [] } = window;
  const changed = new Set(changes.map(({ index }) => index));
  const found: Occurrence[] = changes.filter(
    (change) => isListed(change) && change.startsAtMs <= toMs && change.endsAtMs > fromMs,
  );
  let index = findRuleIndex(window, fromMs) ?? 0;
  // The newest may be changed while an older one, longer than the recurrence period, is still open.
  while (index > 0 && changed.has(index)) index -= 1;
  const maxFound = limit + found.length;
  for (; found.length < maxFound; index += 1) {
    const next = findRuleOccurrence(window, index);
    if (next === null || next.startsAtMs > toMs) break;
    if (!changed.has(index) && next.endsAtMs > fromMs) found.push(next);
  }
  return found.sort((one, other) => one.startsAtMs - other.startsAtMs).slice(0, limit);
}

/** Includes the start and excludes the end, like `isInWindow`. */
export function isInSpans(spans: readonly Span[], atMs: number): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.startsAtMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  const newest = spans[low - 1];
  return newest !== undefined && atMs < newest.endsAtMs;
}
