import { invalid } from "../errors.ts";

/** Parses a timestamp. A leap second has the right format but is not supported. */
export function parseTimestamp(key: string, text: string | undefined): number | null {
  const timestamp = text === undefined ? null : Date.parse(text);
  if (Number.isNaN(timestamp)) throw invalid(key, "must be an existing time", "querystring");
  return timestamp;
}

interface WireBounds {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Converts `from` and `to` of a query from text to dates; absent ones stay absent. */
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
