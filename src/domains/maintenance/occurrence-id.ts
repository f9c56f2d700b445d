/**
 * Derives the id of an occurrence from its window's calendar id, with the index mixed into the last
 * eight digits. So every occurrence has a permanent id, and none is stored before it is changed.
 */
export function toOccurrenceId(calendarId: string, index: number): string {
  const last = (Number.parseInt(calendarId.slice(-8), 16) ^ index) >>> 0;
  return calendarId.slice(0, -8) + last.toString(16).padStart(8, "0");
}

/** Returns `null` for an id of another calendar. */
export function readOccurrenceIndex(calendarId: string, id: string): number | null {
  const text = id.toLowerCase();
  if (text.slice(0, -8) !== calendarId.slice(0, -8)) return null;
  const index =
    (Number.parseInt(text.slice(-8), 16) ^ Number.parseInt(calendarId.slice(-8), 16)) >>> 0;
  return index <= maxIndex ? index : null;
}

/** More than the number of days until the year 9999. */
const maxIndex = 4_000_000;
