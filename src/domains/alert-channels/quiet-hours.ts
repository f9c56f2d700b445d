import {
  coversWeek,
  findWeekHoursFault,
  type HoursFault,
  type WeekHours,
} from "../../platform/week-hours.ts";

export const quietModes = ["HOLD", "REROUTE"] as const;

/** When a channel stays quiet. */
export interface QuietHours extends WeekHours {
  /** HOLD sends one digest at the end; REROUTE sends to another channel instead. */
  readonly mode: (typeof quietModes)[number];
  /** Where REROUTE sends to; `null` if that channel was deleted, or in mode HOLD. */
  readonly alertChannelId: number | null;
}

/** Returns the first field that is wrong, and why; `null` if the quiet hours are valid. */
export function findQuietFault(quietHours: WeekHours): HoursFault | null {
  const fault = findWeekHoursFault(quietHours);
  if (fault !== null) return fault;
  if (coversWeek(quietHours.ranges)) {
    return { key: "ranges", rule: "must leave some time of the week, or nothing is ever sent" };
  }
  return null;
}

/** Returns whether rerouting from a channel leads back to it, through any number of channels. */
export function hasRerouteLoop(
  channelId: number,
  targetOf: (id: number) => number | null,
): boolean {
  const seen = new Set([channelId]);
  let at = targetOf(channelId);
  while (at !== null) {
    if (seen.has(at)) return true;
    seen.add(at);
    at = targetOf(at);
  }
  return false;
}
