/** Formats of dates and times in the API. */

export function formatDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function formatDateTime(date: Date): string {
  return date.toISOString();
}

/**
 * A date that the API sends as a day in UTC, for responses whose schema has the format `date`.
 * Older clients receive a full timestamp (`http/client-dialect.ts`). The serializer reads the day
 * with methods of `Date` that return local time. This class overrides these methods, so that they
 * return UTC.
 */
export class Day extends Date {
  override getFullYear(): number {
    return this.getUTCFullYear();
  }

  override getMonth(): number {
    return this.getUTCMonth();
  }

  override getDate(): number {
    return this.getUTCDate();
  }

  override toJSON(): string {
    return formatDate(this);
  }
}

export function toDay(date: Date): Day {
  return new Day(date);
}
