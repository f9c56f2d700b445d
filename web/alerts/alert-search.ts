import type { Schemas } from "../api/client.ts";

/**
 * Ways to group the open alerts. The selected grouping is stored in the query parameters of the
 * URL.
 */
export const groupings = ["none", "cause", "group", "tag", "location"] as const;
export type By = (typeof groupings)[number];

/** If a list has more entries than this number, it is grouped by cause by default. */
const stormFrom = 10;

export function parseBy(by: unknown): { by?: By } {
  return typeof by === "string" && (groupings as readonly string[]).includes(by)
    ? { by: by as By }
    : {};
}

/** Returns the selected grouping. By default, a long list is grouped by cause. */
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

/** Parses the filters of the alerts list from the query parameters of the URL. */
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

/**
 * Parses the query parameters of a channel's screen. `saved` means that the channel was just
 * created.
 */
export function parseChannelSearch({ saved }: Record<string, unknown>): { saved?: true } {
  return saved === true ? { saved } : {};
}

export function parseKindSearch({ type }: Record<string, unknown>): { type?: string } {
  return typeof type === "string" && /^[A-Z]+$/.test(type) ? { type } : {};
}
