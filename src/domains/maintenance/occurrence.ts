import {
  findByIndex,
  findChange,
  findOccurrence,
  type MaintenanceWindow,
  nextOccurrence,
  type OccurrenceChange,
  type OccurrenceStatus,
} from "./maintenance-window.ts";
import type { PageVisibility } from "./planned-window.ts";
import type { Occurrence } from "./recurrence.ts";

/**
 * Maintenance that nobody ends counts as completed after this time, or when the next one starts.
 */
export const maxOverrunMs = 7 * 86_400_000;

/** Maximum number of changes per window: every alert decision reads them. */
export const maxChanges = 100;

interface Planned {
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
}

/** Decides the status of an occurrence: by the clock, or by hand if the window is set so. */
export function decideStatus(
  { schedule, visibility }: Planned,
  occurrence: Occurrence,
  nowMs: number,
): OccurrenceStatus {
  const setStatus = findChange(schedule, occurrence.index)?.status ?? null;
  if (setStatus === "DELETED" || setStatus === "CANCELLED") return "CANCELLED";
  if (setStatus === "COMPLETED") return "COMPLETED";
  if (nowMs < occurrence.startsAtMs) return "SCHEDULED";
  const hasStarted = setStatus === "IN_PROGRESS" || setStatus === "VERIFYING";
  const { autoStart, autoEnd } = listAutomatic(visibility);
  const isOver = nowMs >= occurrence.endsAtMs;
  if (!autoStart && !hasStarted) return isOver ? "CANCELLED" : "SCHEDULED";
  if (isOver && (autoEnd || !isOverrunning(schedule, occurrence, nowMs))) return "COMPLETED";
  return setStatus === "VERIFYING" ? "VERIFYING" : "IN_PROGRESS";
}

/**
 * autoStart and autoEnd apply to status pages; a window that pages do not show starts and ends
 * automatically.
 */
function listAutomatic({ enabled, autoStart, autoEnd }: PageVisibility) {
  return enabled ? { autoStart, autoEnd } : { autoStart: true, autoEnd: true };
}

function isOverrunning(schedule: MaintenanceWindow, one: Occurrence, nowMs: number): boolean {
  if (nowMs >= one.endsAtMs + maxOverrunMs) return false;
  const next = nextOccurrence(schedule, one.startsAtMs);
  return next === null || nowMs < next.startsAtMs;
}

/**
 * Returns an occurrence that should have ended but that nobody has ended; `null` if there is none.
 */
export function findOverrun(window: Planned, nowMs: number): Occurrence | null {
  if (listAutomatic(window.visibility).autoEnd) return null;
  const newest = findOccurrence(window.schedule, nowMs);
  if (newest === null || nowMs < newest.endsAtMs) return null;
  return isInProgress(decideStatus(window, newest, nowMs)) ? newest : null;
}

export function isInProgress(status: OccurrenceStatus): boolean {
  return status === "IN_PROGRESS" || status === "VERIFYING";
}

/** Returns the window with the change of one occurrence; `null` if there are too many changes. */
export function withChange(
  window: MaintenanceWindow,
  change: OccurrenceChange,
  nowMs: number,
): MaintenanceWindow | null {
  const others = (window.changes ?? []).filter(({ index }) => index !== change.index);
  if (others.length < maxChanges) return { ...window, changes: [...others, change] };
  // An occurrence that ended no longer silences anything, so the oldest change can be dropped.
  const [oldest] = others.toSorted((one, other) => one.endsAtMs - other.endsAtMs);
  if (oldest === undefined || oldest.endsAtMs > nowMs) return null;
  return { ...window, changes: [...others.filter((one) => one !== oldest), change] };
}

/** Returns whether every occurrence keeps its index when the window is replaced. */
export function hasSameSeries(before: MaintenanceWindow, after: MaintenanceWindow): boolean {
  return (
    before.startsAtMs === after.startsAtMs &&
    before.timeZone === after.timeZone &&
    before.repeatUnit === after.repeatUnit &&
    (before.repeatInterval ?? 1) === (after.repeatInterval ?? 1)
  );
}

/** Returns the changes of occurrences that the new window still has. */
export function retainChanges(
  before: MaintenanceWindow,
  after: MaintenanceWindow,
): readonly OccurrenceChange[] {
  if (!hasSameSeries(before, after)) return [];
  const bare = { ...after, changes: [] };
  return (before.changes ?? []).filter(({ index }) => findByIndex(bare, index) !== null);
}

interface StatusDecision {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/**
 * Returns the times of an occurrence after a person sets its status: starting or ending it by hand
 * takes effect now. Returns an error message if the status cannot be set.
 */
export function decideTimes(
  occurrence: Occurrence,
  change: { readonly from: OccurrenceStatus; readonly to: OccurrenceStatus },
  nowMs: number,
): StatusDecision | string {
  const { startsAtMs, endsAtMs } = occurrence;
  const { from, to } = change;
  if (from === to) return { startsAtMs, endsAtMs };
  if (from === "COMPLETED") return "the maintenance is already completed";
  if (from === "CANCELLED") {
    if (to === "SCHEDULED" && nowMs < endsAtMs) return { startsAtMs, endsAtMs };
    return "the maintenance is cancelled; it can only be scheduled again, before its end";
  }
  const isScheduled = from === "SCHEDULED";
  if (to === "SCHEDULED") return "the maintenance has already started";
  if (to === "CANCELLED") {
    return isScheduled
      ? { startsAtMs, endsAtMs }
      : "the maintenance has started; complete it instead";
  }
  if (to === "IN_PROGRESS") return { startsAtMs: isScheduled ? nowMs : startsAtMs, endsAtMs };
  if (isScheduled) return "the maintenance has not started";
  if (to === "VERIFYING") return { startsAtMs, endsAtMs };
  return { startsAtMs, endsAtMs: Math.max(nowMs, startsAtMs + 1) };
}
