import {
  findByIndex,
  findChange,
  findOccurrence,
  isTakingPlace,
  type MaintenanceWindow,
  nextOccurrence,
  type OccurrenceChange,
  type OccurrenceStatus,
} from "./maintenance-window.ts";
import type { PageVisibility } from "./planned-window.ts";
import { findRuleIndex, findRuleOccurrence, type Occurrence } from "./recurrence.ts";

/** An update that a person posted about one occurrence, and what it changed. */
export interface OccurrenceUpdate {
  readonly id: string;
  readonly index: number;
  readonly status: OccurrenceStatus;
  readonly description: string;
  readonly notifySubscribers: boolean;
  readonly createdAt: Date;
  /** Status before the update; `null` if the update did not change the status. */
  readonly previousStatus: OccurrenceStatus | null;
  /** Start before the update; `null` if the update did not change the times. */
  readonly previousStartsAt: Date | null;
  readonly previousEndsAt: Date | null;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
}

export interface Span {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/**
 * Returns the periods in which any of the windows is open, sorted and without overlaps. Computing
 * an occurrence takes a hundred times as long as comparing two instants. A caller that tests many
 * instants therefore computes these periods once.
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
 * Lists the occurrences that overlap a span, sorted by start. Cancelled and deleted occurrences are
 * excluded.
 */
export function listOccurrences(window: MaintenanceWindow, span: BoundedSpan): Occurrence[] {
  return listWith(window, span, isTakingPlace);
}

/**
 * Lists the occurrences that overlap a span, sorted by start. Only deleted occurrences are
 * excluded.
 */
export function listShownOccurrences(window: MaintenanceWindow, span: BoundedSpan): Occurrence[] {
  return listWith(window, span, ({ status }) => status !== "DELETED");
}

interface BoundedSpan {
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
  // If the newest occurrence was changed, the listing starts at the last unchanged occurrence
  // before it. The unchanged occurrence may still be open, because an occurrence can be longer than
  // the interval of the recurrence.
  while (index > 0 && changed.has(index)) index -= 1;
  const maxFound = limit + found.length;
  for (; found.length < maxFound; index += 1) {
    const next = findRuleOccurrence(window, index);
    if (next === null || next.startsAtMs > toMs) break;
    if (!changed.has(index) && next.endsAtMs > fromMs) found.push(next);
  }
  return found.sort((one, other) => one.startsAtMs - other.startsAtMs).slice(0, limit);
}

/** Whether a time is in one of the sorted spans, which include their start but not their end. */
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

/** Maintenance without `autoEnd` counts as completed at most this long after its planned end. */
const maxOverrunMs = 7 * 86_400_000;

/** Maximum number of changed occurrences per window, because every alert decision reads them. */
export const maxChanges = 100;

interface Planned {
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
}

/**
 * Returns the status of an occurrence. The current time decides the status, unless a person has set
 * the status or must start or end the occurrence.
 */
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
 * Returns whether occurrences start and end automatically. If status pages show the window,
 * `autoStart` and `autoEnd` decide this. Otherwise, occurrences always start and end automatically.
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
 * Returns the occurrence that is in progress after its planned end, because people must end it by
 * hand; `null` if there is none.
 */
export function findOverrun(window: Planned, nowMs: number): Occurrence | null {
  if (listAutomatic(window.visibility).autoEnd) return null;
  const newest = findOccurrence(window.schedule, nowMs);
  if (newest === null || nowMs < newest.endsAtMs) return null;
  return isInProgress(decideStatus(window, newest, nowMs)) ? newest : null;
}

function isInProgress(status: OccurrenceStatus): boolean {
  return status === "IN_PROGRESS" || status === "VERIFYING";
}

/**
 * Adds the change of one occurrence to a window; returns `null` if the window has too many changes.
 */
export function withChange(
  window: MaintenanceWindow,
  change: OccurrenceChange,
  nowMs: number,
): MaintenanceWindow | null {
  const others = (window.changes ?? []).filter(({ index }) => index !== change.index);
  if (others.length < maxChanges) return { ...window, changes: [...others, change] };
  // Drop the change of the occurrence that ended first, because it no longer silences alerts.
  const [oldest] = others.toSorted((one, other) => one.endsAtMs - other.endsAtMs);
  if (oldest === undefined || oldest.endsAtMs > nowMs) return null;
  return { ...window, changes: [...others.filter((one) => one !== oldest), change] };
}

/**
 * Whether every occurrence of a window keeps its index if the window is changed from `before` to
 * `after`.
 */
export function hasSameSeries(before: MaintenanceWindow, after: MaintenanceWindow): boolean {
  return (
    before.startsAtMs === after.startsAtMs &&
    before.timeZone === after.timeZone &&
    before.repeatUnit === after.repeatUnit &&
    (before.repeatInterval ?? 1) === (after.repeatInterval ?? 1)
  );
}

/**
 * Returns the changes that still apply to the new version of a window: none if occurrences have
 * other indexes, otherwise those whose occurrences still exist.
 */
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
 * Returns the times of an occurrence after a person has set its status. If the person starts or
 * ends the occurrence, it starts or ends now. Returns an error message if the status is not
 * allowed.
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
