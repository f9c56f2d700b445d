/**
 * The id of an occurrence: that of its window's calendar, with the index mixed into the last eight
 * digits. So every occurrence has one for ever, and none is stored before somebody changes it.
 */
export function toOccurrenceId(calendarId: string, index: number): string {
  const last = (Number.parseInt(calendarId.slice(-8), 16) ^ index) >>> 0;
  return calendarId.slice(0, -8) + last.toString(16).padStart(8, "0");
}

/** Null for an id that is not of this calendar. */
export function readOccurrenceIndex(calendarId: string, id: string): number | null {
  const text = id.toLowerCase();
  if (text.slice(0, -8) !== calendarId.slice(0, -8)) return null;
  const index =
    (Number.parseInt(text.slice(-8), 16) ^ Number.parseInt(calendarId.slice(-8), 16)) >>> 0;
  return index <= maxIndex ? index : null;
}

/** There are fewer days until the year 9999. */
const maxIndex = 4_000_000;
