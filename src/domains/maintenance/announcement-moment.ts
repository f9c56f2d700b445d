import { type MaintenanceWindow, nextOccurrence } from "./maintenance-window.ts";
import type { PageVisibility } from "./page-visibility.ts";
import type { Occurrence } from "./recurrence.ts";

/** When subscribers are notified of an occurrence, and of what. */
export interface AnnouncementMoment {
  /** `START`, `END`, or `REMINDER-` and the minutes before the start. */
  readonly kind: string;
  readonly status: "SCHEDULED" | "IN_PROGRESS" | "COMPLETED";
  readonly atMs: number;
  readonly occurrence: Occurrence;
}

export interface AnnouncedWindow {
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
  /** When it was created or last changed. */
  readonly savedAtMs: number;
}

/** After a longer downtime the notification is skipped: old news would only confuse. */
export const maxLateMs = 3_600_000;
const minuteMs = 60_000;

type Cue = Pick<AnnouncementMoment, "kind" | "status"> & {
  readonly momentOf: (occurrence: Occurrence) => number;
};

/**
 * In the order of announcement if they coincide: one occurrence ends, another begins. Where people
 * start or end maintenance, they announce it too.
 */
function listCues({ visibility }: AnnouncedWindow): readonly Cue[] {
  const { enabled, notifyOnStart, notifyOnEnd, autoStart, autoEnd } = visibility;
  if (!enabled) return [];
  const end: Cue = { kind: "END", status: "COMPLETED", momentOf: ({ endsAtMs }) => endsAtMs };
  const start: Cue = {
    kind: "START",
    status: "IN_PROGRESS",
    momentOf: ({ startsAtMs }) => startsAtMs,
  };
  const reminders = visibility.reminderMinutesBefore.map(
    (minutes): Cue => ({
      kind: `REMINDER-${minutes}`,
      status: "SCHEDULED",
      momentOf: ({ startsAtMs }) => startsAtMs - minutes * minuteMs,
    }),
  );
  return [
    ...(notifyOnEnd && autoStart && autoEnd ? [end] : []),
    ...(notifyOnStart && autoStart ? [start] : []),
    ...reminders,
  ];
}

function findMomentAfter(
  { schedule }: AnnouncedWindow,
  { kind, status, momentOf }: Cue,
  afterMs: number,
): AnnouncementMoment | null {
  const occurrence = nextOccurrence(schedule, afterMs, momentOf);
  return occurrence && { kind, status, atMs: momentOf(occurrence), occurrence };
}

/**
 * Moments before the window was saved are not announced, except its start: whoever saves a window
 * that is already open wants subscribers to know.
 */
function findEarliestMs({ savedAtMs }: AnnouncedWindow, { kind }: Cue, nowMs: number): number {
  const earliestMs = nowMs - maxLateMs;
  return kind === "START" ? earliestMs : Math.max(earliestMs, savedAtMs - 1);
}

function isStillTrue({ status, occurrence }: AnnouncementMoment, nowMs: number): boolean {
  if (status === "SCHEDULED") return nowMs < occurrence.startsAtMs;
  return status === "COMPLETED" || nowMs < occurrence.endsAtMs;
}

/** What is due for announcement now, in order; some of it may have been announced. */
export function listDueMoments(window: AnnouncedWindow, nowMs: number): AnnouncementMoment[] {
  const due: AnnouncementMoment[] = [];
  for (const cue of listCues(window)) {
    let afterMs = findEarliestMs(window, cue, nowMs);
    for (;;) {
      const moment = findMomentAfter(window, cue, afterMs);
      if (moment === null || moment.atMs > nowMs) break;
      if (isStillTrue(moment, nowMs)) due.push(moment);
      afterMs = moment.atMs;
    }
  }
  return due.toSorted((one, other) => one.atMs - other.atMs);
}

/** When the next announcement is due; null when there is none. */
export function findNextMomentMs(window: AnnouncedWindow, afterMs: number): number | null {
  return findFirst(window, () => afterMs);
}

/** The same for a window that was just saved: an announcement may be due at once. */
export function findFirstMomentMs(window: AnnouncedWindow): number | null {
  return findFirst(window, (cue) => findEarliestMs(window, cue, window.savedAtMs));
}

function findFirst(window: AnnouncedWindow, afterMsOf: (cue: Cue) => number): number | null {
  const moments = listCues(window)
    .map((cue) => findMomentAfter(window, cue, afterMsOf(cue)))
    .filter((moment) => moment !== null);
  return moments.length === 0 ? null : Math.min(...moments.map(({ atMs }) => atMs));
}
