import type { AuditFilter } from "./queries.ts";

const keys = ["search", "action", "actor", "targetId", "from", "to"] as const;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Parses the audit filters from the query parameters. Dates are in the local time zone. */
export function parseAuditSearch(search: Record<string, unknown>): AuditFilter {
  const kept = keys.flatMap((key) => {
    const value = search[key];
    // The router parses search text such as "123" as a number.
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || text === "" || text.length > 400) return [];
    if ((key === "from" || key === "to") && !day.test(text)) return [];
    return [[key, text]];
  });
  return Object.fromEntries(kept);
}

const dayAfter = (text: string) => {
  const date = new Date(`${text}T00:00`);
  date.setDate(date.getDate() + 1);
  return date;
};

/** Converts the filter to API timestamps that include the first and last day completely. */
export function toApiFilter({ from, to, ...rest }: AuditFilter): AuditFilter {
  const start = from === undefined ? null : new Date(`${from}T00:00`);
  const end = to === undefined ? null : dayAfter(to);
  const isReal = (date: Date | null): date is Date =>
    date !== null && !Number.isNaN(date.getTime());
  return {
    ...rest,
    ...(isReal(start) && { from: start.toISOString() }),
    ...(isReal(end) && { to: end.toISOString() }),
  };
}
