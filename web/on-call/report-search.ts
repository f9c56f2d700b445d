/** Periods that the on-call report offers. */
export const periods = ["7d", "30d", "90d", "month", "last-month"] as const;
export type Period = (typeof periods)[number];

export const isPeriod = (text: unknown): text is Period =>
  (periods as readonly unknown[]).includes(text);

export function parseReportSearch({ period }: Readonly<Record<string, unknown>>): {
  readonly period?: Period;
} {
  return isPeriod(period) ? { period } : {};
}
