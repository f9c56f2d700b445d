import { findOccurrence, type MaintenanceWindow, nextOccurrence } from "./maintenance-window.ts";

export interface Span {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/**
 * When any of the windows is open between two moments: in order, without overlaps. Computing an
 * occurrence costs a hundred times a comparison, so a caller with many moments computes these once.
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

/** The one that is open at the beginning, and all that start until the end. */
export function listOccurrences(
  window: MaintenanceWindow,
  span: { readonly fromMs: number; readonly toMs: number; readonly limit: number },
): Span[] {
  const { fromMs, toMs, limit } = span;
  const found: Span[] = [];
  const open = findOccurrence(window, fromMs);
  if (open !== null && open.endsAtMs > fromMs) found.push(open);
  let next = nextOccurrence(window, fromMs);
  while (next !== null && next.startsAtMs <= toMs && found.length < limit) {
    found.push(next);
    next = nextOccurrence(window, next.startsAtMs);
  }
  return found;
}

/** Like `isInWindow`: includes the start, excludes the end. */
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
