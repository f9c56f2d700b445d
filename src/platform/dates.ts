/** The only two functions that write a date for the wire. */

export function formatDate(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

export function formatDateTime(moment: Date): string {
  return moment.toISOString();
}
