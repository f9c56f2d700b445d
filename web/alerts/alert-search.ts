import type { Schemas } from "../api/client.ts";

/** Grouping of the open alerts, stored in the address. */
export const groupings = ["none", "cause", "group", "tag", "location"] as const;
export type By = (typeof groupings)[number];

/** Above this number of open alerts, they are grouped by default. */
const stormFrom = 10;

export function parseBy(by: unknown): { by?: By } {
  return typeof by === "string" && (groupings as readonly string[]).includes(by)
    ? { by: by as By }
    : {};
}

/** Returns the selected grouping, or by cause if there are many alerts. */
export function decideBy(chosen: By | undefined, count: number): By {
  return chosen ?? (count > stormFrom ? "cause" : "none");
}

export interface AlertFilter {
  readonly page?: number;
  readonly search?: string;
  readonly alertType?: Schemas["OpenAlert"]["alertType"];
  readonly show?: "sent" | "held";
  readonly by?: By;
}

/** Parses the filters in the address. */
export function parseAlertSearch(search: Record<string, unknown>): AlertFilter {
  const { page, alertType, show, by } = search;
  const text = typeof search.search === "number" ? String(search.search) : search.search;
  return {
    ...(typeof page === "number" && Number.isInteger(page) && page > 1 && { page }),
    ...(typeof text === "string" && text !== "" && { search: text.slice(0, 200) }),
    ...(typeof alertType === "string" && /^ALERT_[A-Z_]+$/.test(alertType) && { alertType }),
    ...((show === "sent" || show === "held") && { show }),
    ...parseBy(by),
  };
}

/** Whether the channel was just created. */
export function parseChannelSearch({ saved }: Record<string, unknown>): { saved?: true } {
  return saved === true ? { saved } : {};
}

export function parseKindSearch({ type }: Record<string, unknown>): { type?: string } {
  return typeof type === "string" && /^[A-Z]+$/.test(type) ? { type } : {};
}
