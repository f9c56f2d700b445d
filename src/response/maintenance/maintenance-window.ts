import { isTimeZone } from "../../platform/text/time.ts";
import {
  findRuleIndex,
  findRuleOccurrence,
  isInterval,
  maxTimeMs,
  type Occurrence,
  type RecurrenceRule,
} from "./recurrence.ts";

export const occurrenceStatuses = [
  "SCHEDULED",
  "IN_PROGRESS",
  "VERIFYING",
  "COMPLETED",
  "CANCELLED",
] as const;
export type OccurrenceStatus = (typeof occurrenceStatuses)[number];

/** A person's change of one occurrence, which overrides the schedule of the window. */
export interface OccurrenceChange extends Occurrence {
  /** Status set by a person; `null` if the person only moved the occurrence. */
  readonly status: OccurrenceStatus | "DELETED" | null;
}

export interface MaintenanceWindow extends RecurrenceRule {
  readonly tags: readonly string[];
  readonly pauseAllChecks: boolean;
  readonly silenceAllAlerts: boolean;
  readonly silenceAlertsTags: readonly string[];
  /** Ids of silenced checks. `checkIds` and `groupIds` are missing in old rows. */
  readonly checkIds?: readonly string[];
  readonly groupIds?: readonly number[];
  /** Changes of single occurrences, at most one per occurrence. Missing in old rows. */
  readonly changes?: readonly OccurrenceChange[];
}

type WindowFault =
  | "starts-at-out-of-range"
  | "ends-at-out-of-range"
  | "ends-before-it-starts"
  | "time-zone-unknown"
  | "repeat-interval-out-of-range"
  | "repeat-ends-before-it-starts";

/** Returns why the schedule of a window is invalid; `null` if it is valid. */
export function findWindowFault(window: MaintenanceWindow): WindowFault | null {
  const { startsAtMs, endsAtMs, repeatInterval, repeatEndsAtMs } = window;
  if (!isValidTime(startsAtMs)) return "starts-at-out-of-range";
  if (!isValidTime(endsAtMs)) return "ends-at-out-of-range";
  if (endsAtMs <= startsAtMs) return "ends-before-it-starts";
  if (!isTimeZone(window.timeZone)) return "time-zone-unknown";
  if (repeatInterval !== null && !isInterval(repeatInterval)) return "repeat-interval-out-of-range";
  if (repeatEndsAtMs !== null && !(repeatEndsAtMs >= startsAtMs)) {
    return "repeat-ends-before-it-starts";
  }
  return null;
}

export function isValidTime(atMs: number): boolean {
  return Number.isSafeInteger(atMs) && atMs >= 0 && atMs <= maxTimeMs;
}

/** Properties by which windows select a check. The tags include those of its group. */
export interface Labels {
  readonly checkId: string;
  readonly groupId: number | null;
  readonly tags: readonly string[];
}

/**
 * Whether a window applies to a check: by its id, its group or one of its tags, or because the
 * window applies to all checks.
 */
export function appliesTo(window: MaintenanceWindow, check: Labels): boolean {
  if (window.pauseAllChecks || window.silenceAllAlerts) return true;
  const { checkIds = [], groupIds = [] } = window;
  return (
    check.tags.some((tag) => window.tags.includes(tag) || window.silenceAlertsTags.includes(tag)) ||
    (check.groupId !== null && groupIds.includes(check.groupId)) ||
    checkIds.includes(check.checkId)
  );
}

/** Whether a changed occurrence takes place: it was neither cancelled nor deleted. */
export const isTakingPlace = ({ status }: OccurrenceChange) =>
  status !== "CANCELLED" && status !== "DELETED";

/** Whether a window is open at a given time. An occurrence includes its start but not its end. */
export function isInWindow(window: MaintenanceWindow, atMs: number): boolean {
  const current = findUnchanged(window, findRuleIndex(window, atMs) ?? -1, -1);
  if (current !== null && atMs < current.endsAtMs) return true;
  return (window.changes ?? []).some(
    (change) => isTakingPlace(change) && change.startsAtMs <= atMs && atMs < change.endsAtMs,
  );
}

/**
 * Returns the nearest occurrence without a change, starting at an index and searching forwards or
 * backwards.
 */
function findUnchanged(window: MaintenanceWindow, index: number, step: 1 | -1): Occurrence | null {
  const { changes = [] } = window;
  let at = index;
  // The loop is bounded, because each iteration skips one of the changes.
  while (changes.some((change) => change.index === at)) at += step;
  return findRuleOccurrence(window, at);
}

/** Returns the occurrence that started last, even if it has ended; `null` if none has started. */
export function findOccurrence(window: MaintenanceWindow, atMs: number): Occurrence | null {
  const started = [
    findUnchanged(window, findRuleIndex(window, atMs) ?? -1, -1),
    ...(window.changes ?? []).filter(
      (change) => isTakingPlace(change) && change.startsAtMs <= atMs,
    ),
  ].filter((one) => one !== null);
  return started.reduce<Occurrence | null>(
    (newest, one) => (newest === null || one.startsAtMs > newest.startsAtMs ? one : newest),
    null,
  );
}

const startOf = ({ startsAtMs }: Occurrence) => startsAtMs;

/**
 * Returns the first occurrence that starts after the given time; `null` if none does. With
 * `timeOf`, another time of the occurrence, such as its end, is compared instead of the start. In
 * all unchanged occurrences, this time must have the same distance from the start, because the
 * search subtracts this distance from the given time.
 */
export function nextOccurrence(
  window: MaintenanceWindow,
  afterMs: number,
  timeOf: (occurrence: Occurrence) => number = startOf,
): Occurrence | null {
  const { startsAtMs, endsAtMs, changes = [] } = window;
  const offsetMs = timeOf({ index: 0, startsAtMs, endsAtMs }) - startsAtMs;
  const newest = findRuleIndex(window, afterMs - offsetMs);
  const later = [
    findUnchanged(window, newest === null ? 0 : newest + 1, 1),
    ...changes.filter((change) => isTakingPlace(change) && timeOf(change) > afterMs),
  ].filter((one) => one !== null);
  return later.reduce<Occurrence | null>(
    (first, one) => (first === null || timeOf(one) < timeOf(first) ? one : first),
    null,
  );
}

/**
 * Returns the occurrence with an index, including changes by people; `null` if the occurrence does
 * not exist or was deleted.
 */
export function findByIndex(window: MaintenanceWindow, index: number): Occurrence | null {
  const byRule = findRuleOccurrence(window, index);
  if (byRule === null) return null;
  const change = findChange(window, index);
  return change?.status === "DELETED" ? null : (change ?? byRule);
}

export function findChange(window: MaintenanceWindow, index: number): OccurrenceChange | null {
  return (window.changes ?? []).find((change) => change.index === index) ?? null;
}
