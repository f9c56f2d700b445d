import type { Calendar, CalendarEntry } from "./wire.ts";

/** The windows of a calendar by their ids. */
export function indexEntries({ windows }: Calendar): ReadonlyMap<number, CalendarEntry> {
  return new Map(windows.map((entry) => [entry.window.id, entry]));
}
