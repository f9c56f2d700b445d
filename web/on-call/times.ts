const short = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { weekday: "short" });

/** Formats a time as "Sat, 21 Nov, 18:00" in the reader's time zone. */
export function formatShort(at: string): string {
  return short.format(new Date(at));
}

export function formatWeekday(atMs: number): string {
  return day.format(new Date(atMs));
}

/**
 * Converts a `datetime-local` value in local time to a timestamp; `null` if it is empty or invalid.
 */
export function parseField(text: string): string | null {
  const atMs = new Date(text).getTime();
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}

/** Formats a time as the value of a `datetime-local` field in the reader's time zone. */
export function formatField(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs).toISOString().slice(0, 16);
}
