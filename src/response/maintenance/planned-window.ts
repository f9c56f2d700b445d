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

/** Maximum number of windows per account, because every alert decision reads all of them. */
export const maxWindows = 100;

const range = "must be in the years 1970 to 9999";

/** How status pages show a window, and what they announce to subscribers. */
export interface PageVisibility {
  /** Whether status pages show the window. If false, the other fields have no effect. */
  readonly enabled: boolean;
  readonly severity: Severity | null;
  readonly affectAllServices: boolean;
  readonly showAffectedServices: boolean;
  /** Whether the open window prevents alerts from opening incidents for the affected services. */
  readonly suppressAutoIncidents: boolean;
  readonly notifyOnStart: boolean;
  readonly notifyOnEnd: boolean;
  readonly reminderMinutesBefore: readonly number[];
  /** Whether maintenance starts at its start time. If false, a person's update starts it. */
  readonly autoStart: boolean;
  /** Whether maintenance completes at its end time. If false, a person's update ends it. */
  readonly autoEnd: boolean;
  /** Ids of the status pages that show the window; empty for all pages of the account. */
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

/** Whether the window, while it is open, prevents alerts from opening incidents for a service. */
export function suppressesIncidentsOf(visibility: PageVisibility, serviceId: string): boolean {
  const { enabled, suppressAutoIncidents, affectAllServices, serviceIds } = visibility;
  return enabled && suppressAutoIncidents && (affectAllServices || serviceIds.includes(serviceId));
}

export interface PlannedWindow {
  readonly id: number;
  readonly name: string;
  /** Description of the maintenance in Markdown; `null` if there is no description. */
  readonly description: string | null;
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** A window with the fields that identify it in calendars. */
export interface PublishedWindow extends PlannedWindow {
  /** Globally unique id of the window, which stays the same when the window is moved. */
  readonly calendarId: string;
  /** Version number, incremented by every change of the window. */
  readonly sequence: number;
}

export interface WindowInput
  extends Pick<PlannedWindow, "name" | "description" | "schedule" | "visibility"> {
  /** Whether the end may equal the start. Some clients send such windows, which never open. */
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

/** Returns the first invalid field of a window, as named in the API; `null` if all are valid. */
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
  // The API cannot represent a time whose year has five digits.
  const isTooLate = repeatEndsAtMs !== null && repeatEndsAtMs > maxTimeMs;
  return isTooLate ? { key: "repeatEndsAt", rule: range } : null;
}
