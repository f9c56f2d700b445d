import {
  findRuleIndex,
  findRuleOccurrence,
  isInterval,
  isTimeZone,
  lastMomentMs,
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

/** What a person decided about one occurrence, in place of what the rule says. */
export interface OccurrenceChange extends Occurrence {
  /** What a person last said of it; null: they only moved it. */
  readonly status: OccurrenceStatus | "DELETED" | null;
}

export interface MaintenanceWindow extends RecurrenceRule {
  readonly tags: readonly string[];
  readonly pauseAllChecks: boolean;
  readonly silenceAllAlerts: boolean;
  readonly silenceAlertsTags: readonly string[];
  /** Old rows lack this and the next. */
  readonly checkIds?: readonly string[];
  readonly groupIds?: readonly number[];
  /** At most one per occurrence. Old rows lack it. */
  readonly changes?: readonly OccurrenceChange[];
}

export type WindowFault =
  | "starts-at-out-of-range"
  | "ends-at-out-of-range"
  | "ends-before-it-starts"
  | "time-zone-unknown"
  | "repeat-interval-out-of-range"
  | "repeat-ends-before-it-starts";

/** What is wrong with a proposed window; null when it is valid. */
export function findWindowFault(window: MaintenanceWindow): WindowFault | null {
  const { startsAtMs, endsAtMs, repeatInterval, repeatEndsAtMs } = window;
  if (!isMoment(startsAtMs)) return "starts-at-out-of-range";
  if (!isMoment(endsAtMs)) return "ends-at-out-of-range";
  if (endsAtMs <= startsAtMs) return "ends-before-it-starts";
  if (!isTimeZone(window.timeZone)) return "time-zone-unknown";
  if (repeatInterval !== null && !isInterval(repeatInterval)) return "repeat-interval-out-of-range";
  if (repeatEndsAtMs !== null && !(repeatEndsAtMs >= startsAtMs)) {
    return "repeat-ends-before-it-starts";
  }
  return null;
}

export function isMoment(atMs: number): boolean {
  return Number.isSafeInteger(atMs) && atMs >= 0 && atMs <= lastMomentMs;
}

/** What decides whether a window applies to a check: its tags include those of its group. */
export interface Labels {
  readonly checkId: string;
  readonly groupId: number | null;
  readonly tags: readonly string[];
}

/** One common tag is enough. A window that names nothing applies to nothing. */
export function appliesTo(window: MaintenanceWindow, check: Labels): boolean {
  if (window.pauseAllChecks || window.silenceAllAlerts) return true;
  const { checkIds = [], groupIds = [] } = window;
  return (
    check.tags.some((tag) => window.tags.includes(tag) || window.silenceAlertsTags.includes(tag)) ||
    (check.groupId !== null && groupIds.includes(check.groupId)) ||
    checkIds.includes(check.checkId)
  );
}

/** Whether it takes place. */
export const isKept = ({ status }: OccurrenceChange) =>
  status !== "CANCELLED" && status !== "DELETED";

/** Includes the start, excludes the end. */
export function isInWindow(window: MaintenanceWindow, atMs: number): boolean {
  const current = findUnchanged(window, findRuleIndex(window, atMs) ?? -1, -1);
  if (current !== null && atMs < current.endsAtMs) return true;
  return (window.changes ?? []).some(
    (change) => isKept(change) && change.startsAtMs <= atMs && atMs < change.endsAtMs,
  );
}

/** From an index on, forward or back, the first occurrence that nobody changed. */
function findUnchanged(window: MaintenanceWindow, index: number, step: 1 | -1): Occurrence | null {
  const { changes = [] } = window;
  let at = index;
  // Each turn passes one of a bounded number of changes.
  while (changes.some((change) => change.index === at)) at += step;
  return findRuleOccurrence(window, at);
}

/** The newest occurrence that has started by then, whether or not it has ended. */
export function findOccurrence(window: MaintenanceWindow, atMs: number): Occurrence | null {
  const started = [
    findUnchanged(window, findRuleIndex(window, atMs) ?? -1, -1),
    ...(window.changes ?? []).filter((change) => isKept(change) && change.startsAtMs <= atMs),
  ].filter((one) => one !== null);
  return started.reduce<Occurrence | null>(
    (newest, one) => (newest === null || one.startsAtMs > newest.startsAtMs ? one : newest),
    null,
  );
}

const startOf = ({ startsAtMs }: Occurrence) => startsAtMs;

/**
 * The first occurrence that starts after the moment; null when there is none. `momentOf` asks for
 * another moment than the start: one that lies as far from the start in all unchanged occurrences.
 */
export function nextOccurrence(
  window: MaintenanceWindow,
  afterMs: number,
  momentOf: (occurrence: Occurrence) => number = startOf,
): Occurrence | null {
  const { startsAtMs, endsAtMs, changes = [] } = window;
  const offsetMs = momentOf({ index: 0, startsAtMs, endsAtMs }) - startsAtMs;
  const newest = findRuleIndex(window, afterMs - offsetMs);
  const later = [
    findUnchanged(window, newest === null ? 0 : newest + 1, 1),
    ...changes.filter((change) => isKept(change) && momentOf(change) > afterMs),
  ].filter((one) => one !== null);
  return later.reduce<Occurrence | null>(
    (first, one) => (first === null || momentOf(one) < momentOf(first) ? one : first),
    null,
  );
}

/** The occurrence of an index as it is now: changed, or by the rule; null when there is none. */
export function findByIndex(window: MaintenanceWindow, index: number): Occurrence | null {
  const byRule = findRuleOccurrence(window, index);
  if (byRule === null) return null;
  const change = findChange(window, index);
  return change?.status === "DELETED" ? null : (change ?? byRule);
}

export function findChange(window: MaintenanceWindow, index: number): OccurrenceChange | null {
  return (window.changes ?? []).find((change) => change.index === index) ?? null;
}
