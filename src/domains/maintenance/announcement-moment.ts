import { type MaintenanceWindow, nextOccurrence, type Occurrence } from "./maintenance-window.ts";
import type { PageVisibility } from "./page-visibility.ts";

/** When subscribers hear of an occurrence, and of which part of it. */
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
  /** When somebody last said how it should be. */
  readonly savedAtMs: number;
}

/** Whoever was off for longer has missed the moment: old news would only confuse. */
export const maxLateMs = 3_600_000;
const minuteMs = 60_000;

/** All occurrences last equally long, so that each moment lies equally far from the start. */
type Cue = Pick<AnnouncementMoment, "kind" | "status"> & { readonly offsetMs: number };

/** In the order in which they are told if they fall together: one ends, another begins. */
function listCues({ schedule, visibility }: AnnouncedWindow): readonly Cue[] {
  const { enabled, notifyOnStart, notifyOnEnd, reminderMinutesBefore } = visibility;
  if (!enabled) return [];
  const durationMs = schedule.endsAtMs - schedule.startsAtMs;
  const end: Cue = { kind: "END", status: "COMPLETED", offsetMs: durationMs };
  const start: Cue = { kind: "START", status: "IN_PROGRESS", offsetMs: 0 };
  const reminders = reminderMinutesBefore.map(
    (minutes): Cue => ({
      kind: `REMINDER-${minutes}`,
      status: "SCHEDULED",
      offsetMs: -minutes * minuteMs,
    }),
  );
  return [...(notifyOnEnd ? [end] : []), ...(notifyOnStart ? [start] : []), ...reminders];
}

function findMomentAfter(
  { schedule }: AnnouncedWindow,
  { kind, status, offsetMs }: Cue,
  afterMs: number,
): AnnouncementMoment | null {
  const occurrence = nextOccurrence(schedule, afterMs - offsetMs);
  if (occurrence === null) return null;
  return { kind, status, atMs: occurrence.startsAtMs + offsetMs, occurrence };
}

/**
 * What had passed when the window was saved is not told afterwards, but for its start: who saves a
 * window that has begun already wants it known.
 */
function findEarliestMs({ savedAtMs }: AnnouncedWindow, { kind }: Cue, nowMs: number): number {
  const earliestMs = nowMs - maxLateMs;
  return kind === "START" ? earliestMs : Math.max(earliestMs, savedAtMs - 1);
}

function isStillTrue({ status, occurrence }: AnnouncementMoment, nowMs: number): boolean {
  if (status === "SCHEDULED") return nowMs < occurrence.startsAtMs;
  return status === "COMPLETED" || nowMs < occurrence.endsAtMs;
}

/** What is to be told now, in order, unless it has been told. */
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

/** When to look at the window next; null when nothing is left to tell. */
export function findNextMomentMs(window: AnnouncedWindow, afterMs: number): number | null {
  return findFirst(window, () => afterMs);
}

/** The same for a window that has just been saved: something may be due at once. */
export function findFirstMomentMs(window: AnnouncedWindow): number | null {
  return findFirst(window, (cue) => findEarliestMs(window, cue, window.savedAtMs));
}

function findFirst(window: AnnouncedWindow, afterMsOf: (cue: Cue) => number): number | null {
  const moments = listCues(window)
    .map((cue) => findMomentAfter(window, cue, afterMsOf(cue)))
    .filter((moment) => moment !== null);
  return moments.length === 0 ? null : Math.min(...moments.map(({ atMs }) => atMs));
}
