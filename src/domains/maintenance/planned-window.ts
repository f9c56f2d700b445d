import { findWindowFault, lastMomentMs, type MaintenanceWindow } from "./maintenance-window.ts";
import type { PageVisibility } from "./page-visibility.ts";

/** A window as somebody planned it. */
export interface PlannedWindow {
  readonly id: number;
  readonly name: string;
  /** Markdown, for the public. */
  readonly description: string | null;
  readonly schedule: MaintenanceWindow;
  readonly visibility: PageVisibility;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** A window that pages show, with what calendars know it by. */
export interface VisibleWindow extends PlannedWindow {
  /** No other installation has the same, and it stays when the window is moved. */
  readonly calendarId: string;
  /** Rises with every change. */
  readonly sequence: number;
}

export type WindowWish = Pick<PlannedWindow, "name" | "description" | "schedule" | "visibility">;

/** Decisions look at all windows of an account, so there is a limit to how many it can have. */
export const maxWindows = 100;

const range = "must be a moment of the years 1970 to 9999";
const rules = {
  "starts-at-out-of-range": { key: "startsAt", rule: range },
  "ends-at-out-of-range": { key: "endsAt", rule: range },
  "ends-before-it-starts": { key: "endsAt", rule: "must be after startsAt" },
  "time-zone-unknown": { key: "timezone", rule: "must be a name of the IANA time zone database" },
  "repeat-interval-out-of-range": { key: "repeatInterval", rule: "must be between 1 and 10000" },
  "repeat-ends-before-it-starts": { key: "repeatEndsAt", rule: "must not be before startsAt" },
} as const;

/** Which field of a proposed window is wrong, in the words of the wire. */
export function findFieldFault(
  schedule: MaintenanceWindow,
): { readonly key: string; readonly rule: string } | null {
  const fault = findWindowFault(schedule);
  if (fault !== null) return rules[fault];
  const { repeatEndsAtMs } = schedule;
  // Later moments could not be shown again: their year has five digits.
  const isTooLate = repeatEndsAtMs !== null && repeatEndsAtMs > lastMomentMs;
  return isTooLate ? { key: "repeatEndsAt", rule: range } : null;
}
