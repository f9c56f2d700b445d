/** Periods of the report. */
export const periods = ["7d", "30d", "90d", "month", "last-month"] as const;
export type Period = (typeof periods)[number];

export const isPeriod = (text: unknown): text is Period =>
  (periods as readonly unknown[]).includes(text);

export function parseReportSearch({ period }: Readonly<Record<string, unknown>>): {
  readonly period?: Period;
} {
  return isPeriod(period) ? { period } : {};
}

/** Returns whole days of the reader's time zone, so that the range is the same during a day. */
export function findPeriod(period: Period, nowMs: number): { from: string; to: string } {
  const from = new Date(nowMs);
  from.setHours(0, 0, 0, 0);
  const to = new Date(from);
  to.setDate(to.getDate() + 1);
  if (period === "month" || period === "last-month") {
    from.setDate(1);
    if (period === "last-month") {
      to.setTime(from.getTime());
      from.setMonth(from.getMonth() - 1);
    }
  } else from.setDate(from.getDate() - Number.parseInt(period, 10) + 1);
  return { from: from.toISOString(), to: to.toISOString() };
}
