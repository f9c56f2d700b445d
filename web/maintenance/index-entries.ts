import type { Calendar, CalendarEntry } from "./wire.ts";

/** Indexes the windows of a calendar by id. */
export function indexEntries({ windows }: Calendar): ReadonlyMap<number, CalendarEntry> {
  return new Map(windows.map((entry) => [entry.window.id, entry]));
}
