// Has no imports, because the socket thread loads it.

/** The last date with a four-digit year. */
export const maxDateMs = Date.UTC(9999, 11, 31, 23, 59, 59);

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Formats a date such as "22 November 2026". */
export function writeDay(ms: number): string {
  const date = new Date(Math.min(ms, maxDateMs));
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
