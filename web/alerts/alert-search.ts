import { parseBy } from "./group-search.ts";
import type { AlertFilter } from "./queries.ts";

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
