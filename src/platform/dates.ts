/** Date formats of the API; no other function formats a date for it. */

export function formatDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function formatDateTime(date: Date): string {
  return date.toISOString();
}

/**
 * A date of a response whose schema has the format `date`. The API writes the day in UTC; existing
 * clients receive the whole timestamp (`http/client-dialect.ts`). The serializer reads a day
 * through the local getters, so those return UTC.
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
