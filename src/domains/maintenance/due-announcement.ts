import { type MaintenanceWindow, nextOccurrence } from "./maintenance-window.ts";
import type { PageVisibility, WindowInput } from "./planned-window.ts";
import type { Occurrence } from "./recurrence.ts";

/**
 * After a longer downtime the announcement is skipped, because an outdated message would confuse.
 */
export const maxLateMs = 3_600_000;
const minuteMs = 60_000;

/** An announcement to subscribers about one occurrence. */
export interface DueAnnouncement {
  /** `START`, `END`, or `REMINDER-` followed by the minutes before the start. */
  readonly kind: string;
  readonly status: "SCHEDULED" | "IN_PROGRESS" | "COMPLETED";
  readonly atMs: number;
  readonly occurrence: Occurrence;
}

export interface AnnouncedWindow {
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
  /** Time of creation or of the last change. */
  readonly savedAtMs: number;
}

type Cue = Pick<DueAnnouncement, "kind" | "status"> & {
  readonly timeOf: (occurrence: Occurrence) => number;
};

/**
 * Lists the announcements of a window, in order if they coincide: one occurrence ends, another
 * starts. Without `autoStart` or `autoEnd`, a person's update announces the start or end instead.
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
    ...(notifyOnEnd && autoStart && autoEnd ? [end] : []),
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
 * Times before the window was saved are not announced, except its start: subscribers must be
 * notified of a window that is already open when it is saved.
 */
function findEarliestMs({ savedAtMs }: AnnouncedWindow, { kind }: Cue, nowMs: number): number {
  const earliestMs = nowMs - maxLateMs;
  return kind === "START" ? earliestMs : Math.max(earliestMs, savedAtMs - 1);
}

function isStillTrue({ status, occurrence }: DueAnnouncement, nowMs: number): boolean {
  if (status === "SCHEDULED") return nowMs < occurrence.startsAtMs;
  return status === "COMPLETED" || nowMs < occurrence.endsAtMs;
}

/** Lists announcements that are due now, in order. Some may have been sent already. */
export function listDueAnnouncements(window: AnnouncedWindow, nowMs: number): DueAnnouncement[] {
  const due: DueAnnouncement[] = [];
  for (const cue of listCues(window)) {
    let afterMs = findEarliestMs(window, cue, nowMs);
    for (;;) {
      const announcement = findAnnouncementAfter(window, cue, afterMs);
      if (announcement === null || announcement.atMs > nowMs) break;
      if (isStillTrue(announcement, nowMs)) due.push(announcement);
      afterMs = announcement.atMs;
    }
  }
  return due.toSorted((one, other) => one.atMs - other.atMs);
}

/** Returns when the next announcement is due; `null` if there is none. */
export function findNextAnnouncementMs(window: AnnouncedWindow, afterMs: number): number | null {
  return findFirst(window, () => afterMs);
}

/** Returns the next announcement of a window that was just saved; it may be due immediately. */
export function findFirstAnnouncementMs(window: AnnouncedWindow): number | null {
  return findFirst(window, (cue) => findEarliestMs(window, cue, window.savedAtMs));
}

function findFirst(window: AnnouncedWindow, afterMsOf: (cue: Cue) => number): number | null {
  const announcements = listCues(window)
    .map((cue) => findAnnouncementAfter(window, cue, afterMsOf(cue)))
    .filter((announcement) => announcement !== null);
  return announcements.length === 0 ? null : Math.min(...announcements.map(({ atMs }) => atMs));
}

/** Returns when subscribers are first notified of a window that is saved now. */
export function planAnnouncement(
  { schedule, visibility }: Pick<WindowInput, "schedule" | "visibility">,
  savedAt: Date,
): Date | null {
  const firstMs = findFirstAnnouncementMs({ schedule, visibility, savedAtMs: savedAt.getTime() });
  return firstMs === null ? null : new Date(firstMs);
}
