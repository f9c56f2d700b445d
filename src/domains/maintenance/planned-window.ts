import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import type { Severity } from "../incidents/index.ts";
import { findWindowFault, type MaintenanceWindow } from "./maintenance-window.ts";
import { maxTimeMs } from "./recurrence.ts";

export interface MaintenanceContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Maximum number of windows per account: every alert decision reads all of them. */
export const maxWindows = 100;

const range = "must be in the years 1970 to 9999";

/** What status pages show of a window, and what subscribers are notified of. */
export interface PageVisibility {
  /** If false, the other fields have no effect. */
  readonly enabled: boolean;
  readonly severity: Severity | null;
  readonly affectAllServices: boolean;
  readonly showAffectedServices: boolean;
  /** While the window is open, alerts open no incidents for the services it affects. */
  readonly suppressAutoIncidents: boolean;
  readonly notifyOnStart: boolean;
  readonly notifyOnEnd: boolean;
  readonly reminderMinutesBefore: readonly number[];
  /** If true, pages show it as started at its start time; if false, a person's update starts it. */
  readonly autoStart: boolean;
  /** If true, pages show it as completed at its end time; if false, a person's update ends it. */
  readonly autoEnd: boolean;
  /** Pages that show it; empty for every page of the account. */
  readonly statusPageIds: readonly string[];
  readonly serviceIds: readonly string[];
}

export const hiddenFromPages: PageVisibility = {
  enabled: false,
  severity: null,
  affectAllServices: false,
  showAffectedServices: true,
  suppressAutoIncidents: false,
  notifyOnStart: false,
  notifyOnEnd: false,
  reminderMinutesBefore: [],
  autoStart: true,
  autoEnd: true,
  statusPageIds: [],
  serviceIds: [],
};

/** Returns whether the window keeps alerts from opening incidents for the service. */
export function suppressesIncidentsOf(visibility: PageVisibility, serviceId: string): boolean {
  const { enabled, suppressAutoIncidents, affectAllServices, serviceIds } = visibility;
  return enabled && suppressAutoIncidents && (affectAllServices || serviceIds.includes(serviceId));
}

export interface PlannedWindow {
  readonly id: number;
  readonly name: string;
  /** Markdown. */
  readonly description: string | null;
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** A window with its identity in calendars. */
export interface PublishedWindow extends PlannedWindow {
  /** Globally unique, and unchanged when the window is moved. */
  readonly calendarId: string;
  /** Incremented by every change. */
  readonly sequence: number;
}

export interface WindowInput
  extends Pick<PlannedWindow, "name" | "description" | "schedule" | "visibility"> {
  /** Whether it may end when it starts, as existing clients allow. Such a window never opens. */
  readonly mayBeEmpty?: boolean;
}

const rules = {
  "starts-at-out-of-range": { key: "startsAt", rule: range },
  "ends-at-out-of-range": { key: "endsAt", rule: range },
  "ends-before-it-starts": { key: "endsAt", rule: "must be after startsAt" },
  "time-zone-unknown": { key: "timezone", rule: "must be an IANA time zone name" },
  "repeat-interval-out-of-range": { key: "repeatInterval", rule: "must be between 1 and 10000" },
  "repeat-ends-before-it-starts": { key: "repeatEndsAt", rule: "must not be before startsAt" },
} as const;

/** Returns the invalid field of a proposed window, by its name in the API. */
export function findFieldFault({
  schedule,
  mayBeEmpty = false,
}: Pick<WindowInput, "schedule" | "mayBeEmpty">): {
  readonly key: string;
  readonly rule: string;
} | null {
  const isEmpty = mayBeEmpty && schedule.startsAtMs === schedule.endsAtMs;
  const fault = findWindowFault(
    isEmpty ? { ...schedule, endsAtMs: schedule.endsAtMs + 1 } : schedule,
  );
  if (fault !== null) return rules[fault];
  const { repeatEndsAtMs } = schedule;
  // A later time has a five-digit year, which the API cannot represent.
  const isTooLate = repeatEndsAtMs !== null && repeatEndsAtMs > maxTimeMs;
  return isTooLate ? { key: "repeatEndsAt", rule: range } : null;
}
