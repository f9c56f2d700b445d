import type { Day } from "./days.ts";

export const views = ["month", "week", "list"] as const;
export type View = (typeof views)[number];

export interface CalendarSearch {
  readonly view?: View;
  /** Any day in the visible range; today if missing. */
  readonly date?: Day;
}

const isDay = (text: unknown): text is Day =>
  typeof text === "string" &&
  /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text);

export function parseCalendarSearch({ view, date }: Record<string, unknown>): CalendarSearch {
  const known = views.find((one) => one === view);
  return { ...(known && { view: known }), ...(isDay(date) && { date }) };
}

/** Initial values of a new maintenance window, taken from the URL. */
export interface NewWindowSearch {
  readonly checkId?: string;
  readonly date?: Day;
}

export function parseNewWindowSearch({ checkId, date }: Record<string, unknown>): NewWindowSearch {
  const isId = typeof checkId === "string" && /^[0-9a-f-]{36}$/i.test(checkId);
  return { ...(isId && { checkId }), ...(isDay(date) && { date }) };
}
