import {
  findByIndex,
  type MaintenanceWindow,
  type OccurrenceChange,
  type OccurrenceStatus,
} from "../maintenance-window.ts";
import type { Occurrence } from "../recurrence.ts";

/** Per window: every decision on an alert reads them. */
export const maxChanges = 100;

/** The window with what was decided about one occurrence; null when it has too many of these. */
export function withChange(
  window: MaintenanceWindow,
  change: OccurrenceChange,
  nowMs: number,
): MaintenanceWindow | null {
  const others = (window.changes ?? []).filter(({ index }) => index !== change.index);
  if (others.length < maxChanges) return { ...window, changes: [...others, change] };
  // What is over for long silences nothing any more: the oldest gives way.
  const [oldest] = others.toSorted((one, other) => one.endsAtMs - other.endsAtMs);
  if (oldest === undefined || oldest.endsAtMs > nowMs) return null;
  return { ...window, changes: [...others.filter((one) => one !== oldest), change] };
}

/** Whether every occurrence keeps its place in the series when the window is replaced. */
export function hasSameSeries(before: MaintenanceWindow, after: MaintenanceWindow): boolean {
  return (
    before.startsAtMs === after.startsAtMs &&
    before.timeZone === after.timeZone &&
    before.repeatUnit === after.repeatUnit &&
    (before.repeatInterval ?? 1) === (after.repeatInterval ?? 1)
  );
}

/** What was decided about occurrences that the window still has. */
export function keepChanges(
  before: MaintenanceWindow,
  after: MaintenanceWindow,
): readonly OccurrenceChange[] {
  if (!hasSameSeries(before, after)) return [];
  const bare = { ...after, changes: [] };
  return (before.changes ?? []).filter(({ index }) => findByIndex(bare, index) !== null);
}

export interface StatusDecision {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/**
 * The times that an occurrence has after a person gave it a status: whoever starts or ends it by
 * hand does so now. A text: why they cannot.
 */
export function decideTimes(
  occurrence: Occurrence,
  change: { readonly from: OccurrenceStatus; readonly to: OccurrenceStatus },
  nowMs: number,
): StatusDecision | string {
  const { startsAtMs, endsAtMs } = occurrence;
  const { from, to } = change;
  if (from === to) return { startsAtMs, endsAtMs };
  if (from === "COMPLETED") return "the maintenance is completed already";
  if (from === "CANCELLED") {
    if (to === "SCHEDULED" && nowMs < endsAtMs) return { startsAtMs, endsAtMs };
    return "the maintenance is cancelled; before its end it can be scheduled again";
  }
  const isScheduled = from === "SCHEDULED";
  if (to === "SCHEDULED") return "the maintenance has begun already";
  if (to === "CANCELLED") {
    return isScheduled ? { startsAtMs, endsAtMs } : "the maintenance has begun: complete it";
  }
  if (to === "IN_PROGRESS") return { startsAtMs: isScheduled ? nowMs : startsAtMs, endsAtMs };
  if (isScheduled) return "the maintenance has not begun";
  if (to === "VERIFYING") return { startsAtMs, endsAtMs };
  return { startsAtMs, endsAtMs: Math.max(nowMs, startsAtMs + 1) };
}
