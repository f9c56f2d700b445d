import {
  findChange,
  findOccurrence,
  type MaintenanceWindow,
  nextOccurrence,
  type OccurrenceStatus,
} from "./maintenance-window.ts";
import type { PageVisibility } from "./page-visibility.ts";
import type { Occurrence } from "./recurrence.ts";

/**
 * Maintenance that nobody ends counts as completed after this time, or when the next one starts.
 */
export const maxOverrunMs = 7 * 86_400_000;

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
