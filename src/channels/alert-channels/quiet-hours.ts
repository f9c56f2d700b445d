import {
  coversWeek,
  findWeekHoursFault,
  type HoursFault,
  type WeekHours,
} from "../../platform/week-hours.ts";

export const quietModes = ["HOLD", "REROUTE"] as const;

/** Weekly hours in which a channel holds its alerts or sends them to another channel. */
export interface QuietHours extends WeekHours {
  /** HOLD sends one digest at the end of quiet hours; REROUTE sends alerts to another channel. */
  readonly mode: (typeof quietModes)[number];
  /** Id of the channel that REROUTE sends alerts to; `null` if deleted, or if the mode is HOLD. */
  readonly alertChannelId: number | null;
}

/** Returns the first invalid field of quiet hours and the reason; `null` if all are valid. */
export function findQuietFault(quietHours: WeekHours): HoursFault | null {
  const fault = findWeekHoursFault(quietHours);
  if (fault !== null) return fault;
  if (coversWeek(quietHours.ranges)) {
    return { key: "ranges", rule: "must leave some time of the week, or nothing is ever sent" };
  }
  return null;
}

/** Whether the reroutes of a channel form a loop, directly or through other channels. */
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
