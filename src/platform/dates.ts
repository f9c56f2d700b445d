/** Date formats of the API; no other function formats a date for it. */

export function formatDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function formatDateTime(date: Date): string {
  return date.toISOString();
}
