import {
  findChange,
  findOccurrence,
  type MaintenanceWindow,
  nextOccurrence,
  type OccurrenceStatus,
} from "./maintenance-window.ts";
import type { PageVisibility } from "./page-visibility.ts";
import type { Occurrence } from "./recurrence.ts";

/** Maintenance that nobody ends counts as over after this long, or when the next one begins. */
export const maxOverrunMs = 7 * 86_400_000;

interface Planned {
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
}

/** How far an occurrence is: by the clock, or by hand where the window says so. */
export function decideStatus(
  { schedule, visibility }: Planned,
  occurrence: Occurrence,
  nowMs: number,
): OccurrenceStatus {
  const said = findChange(schedule, occurrence.index)?.status ?? null;
  if (said === "DELETED" || said === "CANCELLED") return "CANCELLED";
  if (said === "COMPLETED") return "COMPLETED";
  if (nowMs < occurrence.startsAtMs) return "SCHEDULED";
  const hasBegun = said === "IN_PROGRESS" || said === "VERIFYING";
  const { autoStart, autoEnd } = listAutomatic(visibility);
  const isOver = nowMs >= occurrence.endsAtMs;
  if (!autoStart && !hasBegun) return isOver ? "CANCELLED" : "SCHEDULED";
  if (isOver && (autoEnd || !isOverrunning(schedule, occurrence, nowMs))) return "COMPLETED";
  return said === "VERIFYING" ? "VERIFYING" : "IN_PROGRESS";
}

/** Both concern what pages show, so a window that pages do not show begins and ends by itself. */
function listAutomatic({ enabled, autoStart, autoEnd }: PageVisibility) {
  return enabled ? { autoStart, autoEnd } : { autoStart: true, autoEnd: true };
}

function isOverrunning(schedule: MaintenanceWindow, one: Occurrence, nowMs: number): boolean {
  if (nowMs >= one.endsAtMs + maxOverrunMs) return false;
  const next = nextOccurrence(schedule, one.startsAtMs);
  return next === null || nowMs < next.startsAtMs;
}

/** One that should be over, and that nobody has ended yet; null when there is none. */
export function findOverrun(window: Planned, nowMs: number): Occurrence | null {
  if (listAutomatic(window.visibility).autoEnd) return null;
  const newest = findOccurrence(window.schedule, nowMs);
  if (newest === null || nowMs < newest.endsAtMs) return null;
  return isUnderWay(decideStatus(window, newest, nowMs)) ? newest : null;
}

export function isUnderWay(status: OccurrenceStatus): boolean {
  return status === "IN_PROGRESS" || status === "VERIFYING";
}
