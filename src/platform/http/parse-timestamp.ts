import { invalid } from "../errors.ts";

/** A leap second has the right form and yet is no moment that a clock of ours knows. */
export function parseTimestamp(key: string, text: string | undefined): number | null {
  const moment = text === undefined ? null : Date.parse(text);
  if (Number.isNaN(moment)) throw invalid(key, "must be a moment that exists", "querystring");
  return moment;
}

interface WireBounds {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Moments as text in a query, as moments behind it; what is absent stays absent. */
export function parseBounds<Query extends WireBounds>(query: Query) {
  const { from, to, ...rest } = query;
  const fromMs = parseTimestamp("from", from);
  const toMs = parseTimestamp("to", to);
  return {
    ...rest,
    ...(fromMs !== null && { from: new Date(fromMs) }),
    ...(toMs !== null && { to: new Date(toMs) }),
  };
}
