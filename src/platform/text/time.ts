/**
 * Whether a text is a time zone, such as Europe/Berlin or +01:00. The constructor of
 * `ZonedDateTime` rejects a date that contains a time zone, which other functions of Temporal
 * accept.
 */
export function isTimeZone(name: string): boolean {
  try {
    new Temporal.ZonedDateTime(0n, name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns the offset of a time zone from UTC in milliseconds. It is positive east of Greenwich. */
export function findZoneOffsetMs(timeZone: string, at: Date): number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/**
 * Formats a duration in its largest unit and the next smaller one, such as "59 s", "2 h 5 min" or
 * "3 d 4 h". The result is never zero.
 */
export function formatDuration(durationMs: number, smallest: "s" | "min" = "s"): string {
  const smallestMs = smallest === "s" ? 1_000 : 60_000;
  const roundedMs = Math.max(1, Math.round(durationMs / smallestMs)) * smallestMs;
  const units = [
    [Math.floor(roundedMs / 86_400_000), "d"],
    [Math.floor(roundedMs / 3_600_000) % 24, "h"],
    [Math.floor(roundedMs / 60_000) % 60, "min"],
    [Math.floor(roundedMs / 1_000) % 60, "s"],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
