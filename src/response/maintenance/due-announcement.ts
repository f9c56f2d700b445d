import { findChange, type MaintenanceWindow, nextOccurrence } from "./maintenance-window.ts";
import type { PageVisibility, WindowInput } from "./planned-window.ts";
import type { Occurrence } from "./recurrence.ts";

/**
 * Maximum delay of an announcement. After a longer downtime of the server, the announcement is
 * skipped, because an outdated message would confuse subscribers.
 */
export const maxLateMs = 3_600_000;
const minuteMs = 60_000;

/** An announcement to subscribers about one occurrence of a window. */
export interface DueAnnouncement {
  /** Kind: `START`, `END`, or `REMINDER-` followed by the minutes before the start. */
  readonly kind: string;
  readonly status: "SCHEDULED" | "IN_PROGRESS" | "COMPLETED";
  readonly atMs: number;
  readonly occurrence: Occurrence;
}

export interface AnnouncedWindow {
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
  /** When the window was created or last changed. */
  readonly savedAtMs: number;
}

type Cue = Pick<DueAnnouncement, "kind" | "status"> & {
  readonly timeOf: (occurrence: Occurrence) => number;
};

/**
 * Lists the kinds of announcements that a window sends. Ends precede starts, because one occurrence
 * may end when the next starts. Without `autoStart` or `autoEnd`, people start or end the
 * maintenance by posting an update, which is the announcement.
 */
function listCues({ visibility }: AnnouncedWindow): readonly Cue[] {
  const { enabled, notifyOnStart, notifyOnEnd, autoStart, autoEnd } = visibility;
  if (!enabled) return [];
  const end: Cue = { kind: "END", status: "COMPLETED", timeOf: ({ endsAtMs }) => endsAtMs };
  const start: Cue = {
    kind: "START",
    status: "IN_PROGRESS",
    timeOf: ({ startsAtMs }) => startsAtMs,
  };
  const reminders = visibility.reminderMinutesBefore.map(
    (minutes): Cue => ({
      kind: `REMINDER-${minutes}`,
      status: "SCHEDULED",
      timeOf: ({ startsAtMs }) => startsAtMs - minutes * minuteMs,
    }),
  );
  return [
    ...(notifyOnEnd && autoEnd ? [end] : []),
    ...(notifyOnStart && autoStart ? [start] : []),
    ...reminders,
  ];
}

function findAnnouncementAfter(
  { schedule }: AnnouncedWindow,
  { kind, status, timeOf }: Cue,
  afterMs: number,
): DueAnnouncement | null {
  const occurrence = nextOccurrence(schedule, afterMs, timeOf);
  return occurrence && { kind, status, atMs: timeOf(occurrence), occurrence };
}

/**
 * Returns the time after which an announcement must be due to be sent. Earlier announcements would
 * be too late. An end or a reminder is also not sent if it was due before the last change of the
 * window. A start is still sent in this case, because subscribers must be notified of a window that
 * is already open when it is saved.
 */
function findEarliestMs({ savedAtMs }: AnnouncedWindow, { kind }: Cue, nowMs: number): number {
  const earliestMs = nowMs - maxLateMs;
  return kind === "START" ? earliestMs : Math.max(earliestMs, savedAtMs - 1);
}

/**
 * Returns whether an announcement is still correct. A reminder is correct until the occurrence
 * starts, and a start until the occurrence ends. An end is correct if the occurrence has started.
 * Without `autoStart`, the occurrence has started only if a person has set the status `IN_PROGRESS`
 * or `VERIFYING`.
 */
function isTrue(
  { schedule, visibility }: AnnouncedWindow,
  { status, occurrence }: DueAnnouncement,
  nowMs: number,
): boolean {
  if (status === "SCHEDULED") return nowMs < occurrence.startsAtMs;
  if (status === "IN_PROGRESS") return nowMs < occurrence.endsAtMs;
  const setStatus = findChange(schedule, occurrence.index)?.status;
  return visibility.autoStart || setStatus === "IN_PROGRESS" || setStatus === "VERIFYING";
}

/**
 * Lists the announcements of a window that are due now, by time. Some of them may already have been
 * sent.
 */
export function listDueAnnouncements(window: AnnouncedWindow, nowMs: number): DueAnnouncement[] {
  const due: DueAnnouncement[] = [];
  for (const cue of listCues(window)) {
    let afterMs = findEarliestMs(window, cue, nowMs);
    for (;;) {
      const announcement = findAnnouncementAfter(window, cue, afterMs);
      if (announcement === null || announcement.atMs > nowMs) break;
      if (isTrue(window, announcement, nowMs)) due.push(announcement);
      afterMs = announcement.atMs;
    }
  }
  return due.toSorted((one, other) => one.atMs - other.atMs);
}

/** Returns when the next announcement is due; `null` if no announcement follows. */
export function findNextAnnouncementMs(window: AnnouncedWindow, afterMs: number): number | null {
  return findFirst(window, () => afterMs);
}

/**
 * Returns when the first announcement after saving a window is due; `null` if no announcement
 * follows. The time may be in the past.
 */
export function findFirstAnnouncementMs(window: AnnouncedWindow): number | null {
  return findFirst(window, (cue) => findEarliestMs(window, cue, window.savedAtMs));
}

function findFirst(window: AnnouncedWindow, afterMsOf: (cue: Cue) => number): number | null {
  const announcements = listCues(window)
    .map((cue) => findAnnouncementAfter(window, cue, afterMsOf(cue)))
    .filter((announcement) => announcement !== null);
  return announcements.length === 0 ? null : Math.min(...announcements.map(({ atMs }) => atMs));
}

/**
 * Returns when the first announcement of a window saved at `savedAt` is due; `null` if no
 * announcement follows.
 */
export function planAnnouncement(
  { schedule, visibility }: Pick<WindowInput, "schedule" | "visibility">,
  savedAt: Date,
): Date | null {
  const firstMs = findFirstAnnouncementMs({ schedule, visibility, savedAtMs: savedAt.getTime() });
  return firstMs === null ? null : new Date(firstMs);
}
