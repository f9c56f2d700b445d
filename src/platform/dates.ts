/** Formats of dates and times in the API. */

export function formatDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function formatDateTime(date: Date): string {
  return date.toISOString();
}

/**
 * A date in a response whose schema has the format `date`. The API sends such a date as a day in
 * UTC; older clients receive a full timestamp (`http/client-dialect.ts`). The serializer reads the
 * day with the getters for local time, so these getters return UTC.
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
