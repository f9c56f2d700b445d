import {
  coversWeek,
  findWeekHoursFault,
  type HoursFault,
  type WeekHours,
} from "../../platform/week-hours.ts";

export const quietModes = ["HOLD", "REROUTE"] as const;

/** Weekly hours in which a channel sends no alerts. */
export interface QuietHours extends WeekHours {
  /**
   * What happens to alerts during quiet hours. HOLD sends one digest at the end, and REROUTE sends
   * the alerts to another channel.
   */
  readonly mode: (typeof quietModes)[number];
  /**
   * Id of the channel to which REROUTE sends alerts; `null` in mode HOLD or if that channel was
   * deleted.
   */
  readonly alertChannelId: number | null;
}

/**
 * Returns the first invalid field of quiet hours and the reason; `null` if the quiet hours are
 * valid.
 */
export function findQuietFault(quietHours: WeekHours): HoursFault | null {
  const fault = findWeekHoursFault(quietHours);
  if (fault !== null) return fault;
  if (coversWeek(quietHours.ranges)) {
    return { key: "ranges", rule: "must leave some time of the week, or nothing is ever sent" };
  }
  return null;
}

/**
 * Whether the reroutes from a channel lead back to the same channel, directly or through other
 * channels.
 */
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
